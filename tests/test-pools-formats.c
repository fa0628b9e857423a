/* pools: node groups of clouds, cluster tools and local clusters, each format in one line a group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pools-text.h"

#define KUBE_DOC(version, kind, name) \
	"---\napiVersion: " version "\nkind: " kind "\nmetadata: {name: " name "}\n"

/* ---- Terraform ------------------------------------------------------------------------------- */

#define PLAN(resources) \
	"{\"format_version\": \"1.2\", \"planned_values\": {\"root_module\": {\"resources\": [], " \
	"\"child_modules\": [{\"resources\": [" resources "]}]}}}"
#define RESOURCE(type, values) \
	"{\"address\": \"a\", \"mode\": \"managed\", \"type\": \"" type "\", \"name\": \"this\", " \
	"\"values\": {" values "}}"
#define STATE(resources) \
	"{\"version\": 4, \"lineage\": \"x\", \"resources\": [" resources "]}"
#define INSTANCE(type, values) \
	"{\"mode\": \"managed\", \"type\": \"" type "\", \"name\": \"this\", \"instances\": " \
	"[{\"attributes\": {" values "}}]}"
#define T3 "t3.medium cpu=1930 memory=3246Mi..3554Mi pods=17\n"

static void test_terraform(void **state)
{
	static const struct text_row rows[] = {
		{ "an EKS group of a plan, in a module",
		  PLAN(RESOURCE("aws_eks_node_group",
		       "\"node_group_name\": \"web\", \"labels\": {\"x\": \"y\"}, "
		       "\"capacity_type\": \"SPOT\", "
		       "\"instance_types\": null, \"taint\": [{\"key\": \"k\", \"value\": \"v\", "
		       "\"effect\": \"NO_SCHEDULE\"}], \"scaling_config\": [{\"min_size\": 1, "
		       "\"max_size\": 5, \"desired_size\": 2}]")),
		  "web 1..5 labels{x=y} taints{k=v:NoSchedule} spot " T3 },
		{ "what is known after apply stays open",
		  "{\"format_version\": \"1.2\", \"planned_values\": {\"root_module\": "
		  "{\"resources\": ["
		  RESOURCE("aws_eks_node_group", "\"node_group_name\": \"web\", "
		  "\"scaling_config\": "
		           "[{\"min_size\": 1, \"max_size\": 5}]")
		  "]}}, \"resource_changes\": [{\"address\": \"a\", \"change\": "
		  "{\"after_unknown\": "
		  "{\"labels\": true, \"instance_types\": true}}}]}",
		  "web 1..5 labels{...} taints{} -\n" },
		{ "only changes, one of them a removal",
		  "{\"format_version\": \"1.2\", \"resource_changes\": [{\"address\": \"a\", "
		  "\"mode\": "
		  "\"managed\", \"type\": \"aws_eks_node_group\", \"name\": \"this\", \"change\": "
		  "{\"actions\": [\"delete\"], \"after\": null}}]}",
		  "" },
		{ "raw state",
		  STATE(INSTANCE("aws_eks_node_group", "\"node_group_name\": \"web\", "
		  "\"scaling_config\": "
		                 "[{\"min_size\": 1, \"max_size\": 5}]")),
		  "web 1..5 labels{} taints{} " T3 },
		{ "a launch template gives the type, and hides labels",
		  STATE(INSTANCE("aws_eks_node_group", "\"node_group_name\": \"web\", "
		  "\"launch_template\": "
		                 "[{\"id\": \"lt-1\"}], \"scaling_config\": [{\"max_size\": "
		                 "5}]") ", "
		        INSTANCE("aws_launch_template", "\"id\": \"lt-1\", \"instance_type\": "
		        "\"t3.medium\"")),
		  "web ?..5 labels{...} taints{...} t3.medium cpu=1930..2000 "
		  "memory=3246Mi..4096Mi pods=17\n" },
		{ "GKE counts per zone; the cluster repeats its pools",
		  STATE(INSTANCE("google_container_cluster", "\"location\": \"us-east1\", "
		  "\"node_pool\": "
		                 "[{\"name\": \"p\"}]") ", "
		        INSTANCE("google_container_node_pool", "\"name\": \"p\", \"location\": "
		        "\"us-east1\", "
		                 "\"node_locations\": [\"us-east1-b\", \"us-east1-c\"], "
		                 "\"autoscaling\": "
		                 "[{\"min_node_count\": 0, \"max_node_count\": 3}], "
		                 "\"node_config\": "
		                 "[{\"machine_type\": \"e2-standard-4\", \"spot\": true}]")),
		  "p 0..3 per zone labels{} taints{} spot e2-standard-4 cpu=3920 "
		  "memory=13257.3Mi..13622Mi "
		  "pods=110\n" },
		{ "AKS: priority, strings of taints, critical add-ons only",
		  PLAN(RESOURCE("azurerm_kubernetes_cluster_node_pool",
		       "\"name\": \"s\", \"vm_size\": \"Standard_D2s_v3\", "
		       "\"auto_scaling_enabled\": true, "
		       "\"min_count\": 0, \"max_count\": 4, \"max_pods\": 30, \"node_taints\": "
		       "[\"k=v:NoSchedule\"], "
		       "\"priority\": \"Spot\", \"orchestrator_version\": \"1.30\"") ", "
		       RESOURCE("azurerm_kubernetes_cluster", "\"kubernetes_version\": \"1.30.1\", "
		       "\"default_node_pool\": [{\"name\": \"d\", \"vm_size\": "
		       "\"Standard_D4s_v5\", "
		       "\"node_count\": 2, \"max_pods\": 110, \"only_critical_addons_enabled\": "
		       "true}]")),
		  "s 0..4 labels{} taints{k=v:NoSchedule "
		  "kubernetes.azure.com/scalesetpriority=spot:NoSchedule} "
		  "spot Standard_D2s_v3 cpu=1900 memory=6827Mi..7442Mi pods=30\n"
		  "d 2..2 labels{} taints{CriticalAddonsOnly=true:NoSchedule} Standard_D4s_v5 "
		  "cpu=3860 "
		  "memory=12805Mi..14034Mi pods=110\n" },
		{ "an autoscaling group is one of nodes by its tags only",
		  STATE(INSTANCE("aws_autoscaling_group", "\"name\": \"w\", \"min_size\": 1, "
		  "\"max_size\": 3, "
		        "\"tag\": [{\"key\": \"kubernetes.io/cluster/c\", \"value\": "
		        "\"owned\"}]") ", "
		        INSTANCE("aws_autoscaling_group", "\"name\": \"db\", \"min_size\": 1, "
		        "\"max_size\": 3")),
		  "w 1..3 labels{...} taints{...} -\n" },
		{ "manifests inside of resources",
		  PLAN(RESOURCE("kubectl_manifest", "\"yaml_body\": \"apiVersion: "
		  "kubelint.dev/v1\\nkind: "
		       "NodeGroupInventory\\nnodeGroups: [{name: a, maxSize: 2}]\\n\"")),
		  "a 0..2 labels{} taints{} -\n" },
		{ "JSON of something else", "{\"version\": 4, \"resources\": [1]}", "" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

/* ---- custom resources of clouds ---------------------------------------------------------------- */

static void test_clouds(void **state)
{
	static const struct text_row rows[] = {
		{ "Config Connector: zonal, accelerators are tainted beside other pools",
		  KUBE_DOC("container.cnrm.cloud.google.com/v1beta1", "ContainerNodePool", "gpu")
		  "spec: {location: us-east1-c, autoscaling: {minNodeCount: 0, maxNodeCount: "
		  "3}, nodeConfig: "
		  "{machineType: n1-standard-4, guestAccelerator: [{type: nvidia-tesla-t4, "
		  "count: 2}]}}\n"
		  KUBE_DOC("container.cnrm.cloud.google.com/v1beta1", "ContainerNodePool", "web")
		  "spec: {resourceID: front, location: us-east1-c, nodeCount: 2, nodeConfig: "
		  "{labels: {x: y}, "
		  "machineType: custom-2-4096, taint: [{key: k, effect: NO_EXECUTE}]}}\n",
		  "gpu 0..3 labels{} taints{nvidia.com/gpu=present:NoSchedule} n1-standard-4 "
		  "cpu=3920 "
		  "memory=12353.1Mi..12700Mi pods=110 nvidia.com/gpu=2\n"
		  "front 2..2 labels{x=y} taints{k:NoExecute} custom-2-4096 cpu=1930 "
		  "memory=2812.8Mi..2972Mi "
		  "pods=110\n" },
		{ "Azure Service Operator: pools inline, zones by region",
		  KUBE_DOC("containerservice.azure.com/v1api20240901", "ManagedCluster", "c")
		  "spec: {location: westus3, kubernetesVersion: 1.30.0, agentPoolProfiles: "
		  "[{name: p, count: 3, "
		  "vmSize: Standard_D2s_v3, maxPods: 30, availabilityZones: ['1', '2']}]}\n",
		  "p 3..3 labels{} taints{} Standard_D2s_v3 cpu=1900 memory=6827Mi..7442Mi "
		  "pods=30\n" },
		{ "Crossplane, a list of one block",
		  KUBE_DOC("eks.aws.upbound.io/v1beta1", "NodeGroup", "n")
		  "spec: {forProvider: {scalingConfig: [{minSize: 1, maxSize: 2}], "
		  "capacityType: SPOT}}\n",
		  "n 1..2 labels{} taints{} spot " T3 },
		{ "ACK",
		  KUBE_DOC("eks.services.k8s.aws/v1alpha1", "Nodegroup", "n")
		  "spec: {name: web, scalingConfig: {minSize: 1, maxSize: 2}, taints: [{key: k, "
		  "effect: "
		  "PREFER_NO_SCHEDULE}]}\n",
		  "web 1..2 labels{} taints{k:PreferNoSchedule} " T3 },
		{ "Autopilot may take anything",
		  KUBE_DOC("container.cnrm.cloud.google.com/v1beta1", "ContainerCluster", "c")
		  "spec: {location: us-east1, enableAutopilot: true}\n",
		  "autopilot 0..? labels{...} taints{...} -\n" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

/* ---- Cluster API, kOps, OpenShift --------------------------------------------------------------- */

#define MACHINES(annotations, rest) \
	"---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata:\n  name: md\n" \
	"  annotations: {" annotations "}\nspec:\n" rest
#define SIZES "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"

static void test_tools(void **state)
{
	static const struct text_row rows[] = {
		{ "Cluster API: only synced labels reach the node; templates are followed",
		  MACHINES(SIZES "min-size: '1', " SIZES "max-size: '5'",
		  "  replicas: 2\n  template:\n    metadata: {labels: {x: y, "
		  "node-role.kubernetes.io/w: ''}}\n"
		  "    spec:\n      bootstrap: {configRef: {kind: KubeadmConfigTemplate, name: "
		  "b}}\n"
		  "      infrastructureRef: {kind: AWSMachineTemplate, name: i}\n")
		  KUBE_DOC("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfigTemplate", "b")
		  "spec: {template: {spec: {joinConfiguration: {nodeRegistration: "
		  "{kubeletExtraArgs: "
		  "{node-labels: 'pool=a,zone=b'}, taints: [{key: k, effect: NoSchedule}]}}}}}\n"
		  KUBE_DOC("infrastructure.cluster.x-k8s.io/v1beta2", "AWSMachineTemplate", "i")
		  "spec: {template: {spec: {instanceType: m5.large, spotMarketOptions: {}}}}\n",
		  "md 1..5 labels{pool=a zone=b node-role.kubernetes.io/w=} "
		  "taints{k:NoSchedule} spot m5.large "
		  "cpu=2000 memory=7477Mi..8092Mi pods=110\n" },
		{ "one annotation alone sizes nothing; no template, nothing known",
		  MACHINES(SIZES "min-size: '1'", "  replicas: 3\n"),
		  "md 3..3 labels{...} taints{...} -\n" },
		{ "capacity from zero by annotations",
		  MACHINES("capacity.cluster-autoscaler.kubernetes.io/cpu: '2', "
		           "capacity.cluster-autoscaler.kubernetes.io/memory: "
		           "4Gi", "  replicas: 1\n"),
		  "md 1..1 labels{...} taints{...} - cpu=1800..1999 memory=3686.4Mi..4096.0Mi\n" },
		{ "a managed pool has its own sizes",
		  "---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: MachinePool\nmetadata: "
		  "{name: mp}\nspec:\n"
		  "  template: {spec: {infrastructureRef: {kind: AWSManagedMachinePool, name: "
		  "mp}}}\n"
		  KUBE_DOC("infrastructure.cluster.x-k8s.io/v1beta2", "AWSManagedMachinePool", "mp")
		  "spec: {instanceType: t3.medium, capacityType: spot, scaling: {minSize: 1, "
		  "maxSize: 4}, labels: "
		  "{x: y}, taints: [{key: k, value: v, effect: no-schedule}]}\n",
		  "mp 1..4 labels{x=y} taints{k=v:NoSchedule} spot " T3 },
		{ "kOps: strings of taints, the cluster's cloud, zones and settings",
		  KUBE_DOC("kops.k8s.io/v1alpha2", "Cluster", "c.example.com")
		  "spec: {cloudProvider: aws, kubernetesVersion: v1.32.0, subnets: [{name: s, "
		  "zone: z-1}]}\n"
		  "---\napiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata: {name: "
		  "nodes, labels: "
		  "{kops.k8s.io/cluster: c.example.com}}\nspec: {role: Node, machineType: "
		  "m5.large, maxSize: 3, "
		  "minSize: 1, nodeLabels: {x: y}, taints: ['k=v:NoSchedule'], subnets: [s]}\n"
		  "---\napiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata: {name: "
		  "master, labels: "
		  "{kops.k8s.io/cluster: c.example.com}}\nspec: {role: Master}\n",
		  "nodes 1..3 labels{x=y} taints{k=v:NoSchedule} m5.large cpu=2000 "
		  "memory=7477Mi..8092Mi pods=110\n"
		  "master 1..1 labels{} "
		  "taints{node-role.kubernetes.io/control-plane:NoSchedule} - pods=110\n" },
		{ "OpenShift: the MachineAutoscaler sizes the set",
		  KUBE_DOC("machine.openshift.io/v1beta1", "MachineSet", "w")
		  "spec: {replicas: 2, template: {spec: {metadata: {labels: {x: y}}, taints: "
		  "[{key: k, effect: "
		  "NoSchedule}], providerSpec: {value: {kind: AWSMachineProviderConfig, "
		  "instanceType: m5.large}}}}}\n"
		  KUBE_DOC("autoscaling.openshift.io/v1beta1", "MachineAutoscaler", "w")
		  "spec: {minReplicas: 1, maxReplicas: 12, scaleTargetRef: {kind: MachineSet, "
		  "name: w}}\n",
		  "w 1..12 labels{x=y} taints{k:NoSchedule} m5.large cpu=1500 "
		  "memory=6453Mi..7068Mi pods=250\n"
		  "claim MachineAutoscaler w 1..12 of w\n" },
		{ "HyperShift",
		  KUBE_DOC("hypershift.openshift.io/v1beta1", "NodePool", "h")
		  "spec: {autoScaling: {min: 1, max: 3}, nodeLabels: {x: y}, taints: [{key: k, "
		  "effect: NoSchedule}]}\n",
		  "h 1..3 labels{x=y} taints{k:NoSchedule} - pods=250\n" },
		{ "Rancher's machine pools",
		  KUBE_DOC("provisioning.cattle.io/v1", "Cluster", "c")
		  "spec: {rkeConfig: {machinePools: [{name: p, quantity: 2, labels: {x: y}, "
		  "taints: [{key: k, "
		  "effect: NoSchedule}]}]}}\n",
		  "p 2..2 labels{x=y} taints{k:NoSchedule} -\n" },
		{ "other API groups have a NodePool too",
		  KUBE_DOC("example.com/v1", "NodePool", "n") "spec: {replicas: 3}\n", "" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

/* ---- local clusters ------------------------------------------------------------------------------ */

static void test_local(void **state)
{
	static const struct text_row rows[] = {
		{ "kind: a single node takes pods",
		  "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n",
		  "control-plane 1..1 labels{} taints{} - pods=110\n" },
		{ "kind: labels, patches, equal workers together",
		  "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes:\n- role: "
		  "control-plane\n- role: worker\n"
		  "- role: worker\n- role: worker\n  labels: {x: y}\n  kubeadmConfigPatches:\n  "
		  "- |\n"
		  "    kind: JoinConfiguration\n    nodeRegistration:\n      kubeletExtraArgs: "
		  "{node-labels: 'a=b'}\n"
		  "      taints: [{key: k, effect: NoSchedule}]\n",
		  "control-plane 1..1 labels{} "
		  "taints{node-role.kubernetes.io/control-plane:NoSchedule} - pods=110\n"
		  "worker 2..2 labels{} taints{} - pods=110\n"
		  "worker-2 1..1 labels{x=y a=b} taints{k:NoSchedule} - pods=110\n" },
		{ "k3d: filters; some nodes only leaves the list open",
		  "apiVersion: k3d.io/v1alpha5\nkind: Simple\nservers: 1\nagents: 2\noptions:\n "
		  " k3s:\n"
		  "    nodeLabels:\n    - {label: x=y, nodeFilters: ['agent:*']}\n    - {label: "
		  "z=1, nodeFilters: "
		  "['server:0']}\n    extraArgs:\n    - {arg: '--node-taint=k=v:NoSchedule', "
		  "nodeFilters: [all]}\n",
		  "server 1..1 labels{...} taints{k=v:NoSchedule} - pods=110\n"
		  "agent 2..2 labels{x=y} taints{k=v:NoSchedule} - pods=110\n" },
		{ "kubeadm: default taint, arguments as a list",
		  "---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: "
		  "InitConfiguration\nnodeRegistration: {name: cp}\n"
		  "---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: "
		  "JoinConfiguration\nnodeRegistration:\n  name: w\n"
		  "  taints: []\n  kubeletExtraArgs: [{name: node-labels, value: x=y}, {name: "
		  "max-pods, value: '50'}]\n",
		  "cp 0..? labels{} taints{node-role.kubernetes.io/control-plane:NoSchedule} - "
		  "pods=110\n"
		  "w 0..? labels{x=y} taints{} - pods=50\n" },
		{ "Talos machine configuration",
		  "version: v1alpha1\nmachine:\n  type: worker\n  nodeLabels: {x: y}\n  "
		  "nodeTaints: {k: 'v:NoSchedule'}\n"
		  "cluster: {clusterName: c}\n",
		  "worker 0..? labels{x=y} taints{k=v:NoSchedule} -\n" },
		{ "talhelper: each node, its role's defaults",
		  "clusterName: c\nallowSchedulingOnControlPlanes: true\nnodes:\n- {hostname: "
		  "a, controlPlane: true}\n"
		  "- {hostname: b, nodeLabels: {x: y}}\nworker: {nodeTaints: {k: ':NoExecute'}}\n",
		  "a 1..1 labels{} taints{} -\nb 1..1 labels{x=y} taints{k:NoExecute} -\n" },
		{ "RKE2 and k3s",
		  "node-label: [x=y, 'z=1']\nnode-taint: 'k=v:NoSchedule'\nkubelet-arg: "
		  "['max-pods=50']\n",
		  "config 0..? labels{x=y z=1} taints{k=v:NoSchedule} - pods=50\n" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

/* ---- charts --------------------------------------------------------------------------------------- */

static void test_charts(void **state)
{
	static const struct text_row rows[] = {
		{ "values alone",
		  "cloudProvider: aws\nautoscalingGroups:\n- {name: asg, minSize: 1, maxSize: 4}\n",
		  "asg 1..4 labels{...} taints{...} -\n" },
		{ "the chart's own defaults declare nothing",
		  "cloudProvider: aws\nautoDiscovery: {clusterName: }\nautoscalingGroups: "
		  "[]\n", "" },
		{ "discovery without groups: some that nobody describes",
		  "cloudProvider: aws\nautoDiscovery: {clusterName: prod}\n",
		  "auto-discovery 0..? labels{...} taints{...} -\n" },
		{ "a HelmRelease",
		  KUBE_DOC("helm.toolkit.fluxcd.io/v2", "HelmRelease", "ca")
		  "spec: {chart: {spec: {chart: cluster-autoscaler}}, values: "
		  "{autoscalingGroups: [{name: asg, "
		  "minSize: 1, maxSize: 4}]}}\n",
		  "asg 1..4 labels{...} taints{...} -\n" },
		{ "an Argo CD Application, values as text",
		  KUBE_DOC("argoproj.io/v1alpha1", "Application", "ca")
		  "spec:\n  source:\n    chart: cluster-autoscaler\n    helm:\n      values: |\n"
		  "        autoscalingGroups:\n        - {name: asg, minSize: 1, maxSize: 4}\n",
		  "asg 1..4 labels{...} taints{...} -\n" },
		{ "another chart's values",
		  KUBE_DOC("helm.toolkit.fluxcd.io/v2", "HelmRelease", "x")
		  "spec: {chart: {spec: {chart: nginx}}, values: {autoscalingGroups: [{name: "
		  "asg}]}}\n", "" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terraform), cmocka_unit_test(test_clouds),
		cmocka_unit_test(test_tools), cmocka_unit_test(test_local),
		cmocka_unit_test(test_charts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
