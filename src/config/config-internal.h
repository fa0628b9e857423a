/* What only the files of config share: the table of keys. */
#ifndef KUBELINT_CONFIG_INTERNAL_H
#define KUBELINT_CONFIG_INTERNAL_H

#include "config.h"
#include "tree.h"

enum key_form {
	KEY_TEXT, KEY_WORDS, KEY_FLAG, KEY_TEXTS, KEY_MAP, KEY_MAPS,
	KEY_PERCENT, KEY_RATIO, KEY_DURATION, KEY_VERSION, KEY_SIZE, KEY_COUNT, KEY_FLEET,
};

/* One key of the file or of a map in it. */
struct key {
	const char *name;
	enum key_form form;
	const char *words;        /* KEY_WORDS: allowed ones, separated by blanks */
	const char *fallback;     /* default as written, NULL: none */
	const struct key *keys;   /* KEY_MAP, KEY_MAPS: up to the one without name */
	bool required;            /* in its map */
	const char *meaning;
};

extern const struct key config_keys[];

/* Checks a file's root against the table; appends what is wrong. */
void config_check(struct arena *arena, const struct tree *tree,
                  struct config_problems *ret_problems);

/* Fills a config from text that has passed the check; false: ret_error is libcyaml's message. */
bool config_fill(struct arena *arena, str text, struct config **ret_config, str *ret_error);

#endif
