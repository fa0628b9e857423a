/* Settings at the defaults of config.md. */
#include "model.h"

void settings_default(struct settings *ret_settings)
{
	*ret_settings = (struct settings){
		.kubernetes = kube_newest(),
		.metrics_server_min = { .major = 0, .minor = 6, .patch = 0 },
		.usage_headroom_percent = 20,
		.heap_percent = 90,
		.cpu_limit_percent = 1000,
		.memory_limit_percent = 200,
		.cpu_overcommit_percent = 1000,
		.memory_overcommit_percent = 200,
		.scale_down_drop_percent = 50,
		.scale_up_seconds = 1800,
		.spot_notice_seconds = 30,
		.headroom_percent = 85,
	};
}
