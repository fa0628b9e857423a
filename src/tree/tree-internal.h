/* What only the files of tree share. */
#ifndef KUBELINT_TREE_INTERNAL_H
#define KUBELINT_TREE_INTERNAL_H

#include "tree.h"
#include "source.h"

/* From offsets that libyaml gives (code points of the text it was fed) to bytes of the file.
 * Text that was fed is the file's own text from base on, but for rewritten surrogate pairs; an
 * embedded text maps line by line, or all of it to one place. */
struct offsets VEC(uint32_t);
struct marks {
	str fed;                  /* what libyaml reads */
	size_t point, byte;       /* one known pair of offsets, moved along */
	bool ascii;               /* code points are bytes */
	uint32_t base;            /* place of fed in the file */
	struct offsets rewritten; /* fed offsets behind which the file is 2 bytes longer */
	struct offsets lines;     /* embedded: file offset of each line of fed */
	struct offsets line_begins; /* embedded: fed offset of each line */
	bool fixed;               /* everything lies at base */
};

void marks_init(struct marks *marks, str fed, uint32_t base);
/* Byte in fed of a code point index. */
size_t marks_byte(struct marks *marks, size_t point);
/* Offset in the file of a byte of fed. */
uint32_t marks_offset(const struct marks *marks, size_t byte);

/* The text to feed for a JSON document: escaped surrogate pairs become one escape that
 * libyaml takes, lone ones U+FFFD. The same text when there are none. */
str marks_join_surrogates(struct arena *arena, str text, struct marks *marks);

/* A finished anchor: its node by value, so that it stays when its siblings move. */
struct anchor {
	struct node node;
	size_t size;              /* nodes in it */
	unsigned depth;           /* levels in it */
};

struct node_stack VEC(struct node);
struct parser {
	struct tree *tree;
	struct arena *scratch;
	struct marks marks;
	struct map *anchors;
	struct node_stack stack;  /* children of the open containers */
	size_t nodes;             /* in the tree so far, copies counted */
	bool failed;              /* a fault ended the document */
};

/* Closes a map whose children are stack[base ..]: merge keys, duplicates. */
void map_close(struct parser *parser, struct node *map, size_t base);
/* Moves stack[base ..] into the node's own array. */
void node_adopt(struct parser *parser, struct node *parent, size_t base);
/* Sets parent and index of the node's children, and the parent of theirs. */
void node_relink(struct node *node);

/* Records the fault that ends the document. */
void parser_fail(struct parser *parser, enum fault_kind kind, size_t begin, str text);

/* Parses text into tree->root; marks are set. */
void parse_text(struct parser *parser, str fed);

/* Type of a plain scalar by the Go-YAML rules. */
enum scalar_type scalar_resolve(str text);

/* libyaml's words for a problem at that place, in ours. at: the fed text from the place on. */
str problem_words(struct arena *arena, const char *problem, const char *context, str at);

/* Does the text hold `{{`, `{%` or `<%` (template_any), or is the value unknown because of
 * `{{`, `${NAME}` or a whole `$NAME`? */
bool template_any(str text);
bool template_hides(str text);

#endif
