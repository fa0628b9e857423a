/* Settings at the defaults of config.md. */
#include "model.h"

void settings_default(struct settings *ret_settings)
{
	*ret_settings = (struct settings){
		.kubernetes = kube_newest(),
		.metrics_server_min = { .major = 0, .minor = 6, .patch = 0 },
		.usage_headroom_percent = 20,
		.heap_percent = 90,
	};
}
