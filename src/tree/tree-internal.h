/* What only the files of tree share. */
#ifndef KUBELINT_TREE_INTERNAL_H
#define KUBELINT_TREE_INTERNAL_H

#include "tree.h"
#include "source.h"

#include <yaml.h>

/* ---- places -------------------------------------------------------------------------- */

/* From offsets that libyaml gives (code points of the text it was fed) to bytes of the file.
 * Text that was fed is the file's own text from base on, but for rewritten surrogate pairs; an
 * embedded text maps line by line, or all of it to one place. */
struct offsets VEC(uint32_t);
struct marks {
	/* what libyaml reads */
	str fed;
	/* one known pair of offsets, moved along */
	size_t point, byte;
	/* code points are bytes */
	bool ascii;
	/* place of fed in the file */
	uint32_t base;
	/* fed offsets behind which the file is 2 bytes longer */
	struct offsets rewritten;
	/* embedded: file offset of each line of fed */
	struct offsets lines;
	/* embedded: fed offset of each line */
	struct offsets line_begins;
	/* embedded: everything lies at [base, fixed_end); 0: it does not */
	uint32_t fixed_end;
};

void marks_init(struct marks *marks, str fed, uint32_t base);
/* Byte in fed of a code point index. */
size_t marks_byte(struct marks *marks, size_t point);
/* Offset in the file of a byte of fed. */
uint32_t marks_offset(const struct marks *marks, size_t byte);

/* The text to feed for a document: escaped surrogate pairs become one escape that libyaml
 * takes, lone ones U+FFFD. The same text when there are none. */
str marks_join_surrogates(struct arena *arena, str text, struct marks *marks);

/* ---- reading ------------------------------------------------------------------------- */

struct node_stack VEC(struct node);

/* One document being read. */
struct parser {
	struct tree *tree;
	struct arena *scratch;
	struct marks marks;
	yaml_parser_t yaml;
	/* name -> struct anchor, also of nodes still being read */
	struct map *anchors;
	/* children of the open containers; not the arena's memory */
	struct node_stack stack;
	/* in the tree so far, copies counted */
	size_t nodes;
	/* of them, those that aliases brought in */
	size_t copies;
	/* how many brought them in */
	size_t aliases;
	/* byte of fed where the last scalar, alias or flow node ended */
	size_t last_end;
	/* the text holds something that template_hides() looks for */
	bool may_hide;
	/* a fault ended the document */
	bool failed;
};

/* Looks for templates in text; tree and scratch are set. */
void parser_begin(struct parser *parser, str text);
/* Parses YAML into tree->root; marks are set. */
void parse_text(struct parser *parser, str fed);
/* Parses strict JSON into tree->root; false, and nothing done, when text is none or not within
 * the limits. Only the base of marks is set. */
bool json_parse(struct parser *parser, str text);
/* Sorts the faults and frees what only the parser needed. */
void parser_end(struct parser *parser);

/* Takes the next event; false after a fault. The caller deletes it. */
bool parser_next(struct parser *parser, yaml_event_t *ret_event);

/* Reads the node that event begins, depth levels below the document. */
bool read_node(struct parser *parser, const yaml_event_t *event, unsigned depth,
               struct node *ret_node);
/* Adds a fault if the node is, or has for its key, an unquoted {{ … }}. */
void note_template(struct parser *parser, const struct node *node);
bool read_scalar(struct parser *parser, const yaml_event_t *event, struct node *ret_node);
/* Sets the key of child from a scalar that was read as a key. */
bool read_scalar_key(struct parser *parser, const yaml_event_t *event, const struct node *key,
                     struct node *ret_child);

/* Bytes of fed that the event covers, without the anchor and tag before a node. */
void event_bytes(struct parser *parser, const yaml_event_t *event, size_t *ret_begin,
                 size_t *ret_end);
/* The stretch of the file behind bytes [begin, end) of fed. */
struct span parser_span(const struct parser *parser, size_t begin, size_t end);

/* ---- limits and anchors -------------------------------------------------------------- */

/* An anchor: its node by value, so that it stays when its siblings move. */
struct anchor {
	struct node node;
	/* nodes in it */
	size_t size;
	/* still being read: an alias to it would contain itself */
	bool open;
};

/* Counts nodes; false, with a fault, when the document has too many. */
bool count_nodes(struct parser *parser, const yaml_event_t *event, size_t count);
bool fits_depth(struct parser *parser, const yaml_event_t *event, unsigned depth);
/* The anchor named by an event that begins a node, opened; NULL when it names none. */
struct anchor *anchor_open(struct parser *parser, const yaml_event_t *event);
bool read_alias(struct parser *parser, const yaml_event_t *event, unsigned depth,
                struct node *ret_node);

/* ---- containers ---------------------------------------------------------------------- */

/* Closes a map whose children are stack[base ..]: merge keys, duplicates. false after a fault
 * that ends the document. */
bool map_close(struct parser *parser, struct node *map, size_t base);
/* A new node on the stack, not yet filled; valid until the next one. */
struct node *stack_push(struct parser *parser);
/* Moves stack[base ..] into the node's own array. */
void node_adopt(struct parser *parser, struct node *parent, size_t base);
/* Sets parent and index of the node's children, and the parent of theirs. */
void node_relink(struct node *node);

/* ---- mistakes ------------------------------------------------------------------------ */

/* Records the fault that ends the document, at bytes [begin, end) of fed. NULL when there was
 * one before. */
struct fault *parser_fail(struct parser *parser, enum fault_kind kind, struct span span,
                          str text);
/* The same for an event. Always false. */
bool event_fail(struct parser *parser, const yaml_event_t *event, str text);
/* Turns libyaml's error into a fault. */
void parser_fail_from_yaml(struct parser *parser);

/* ---- scalars and templates ----------------------------------------------------------- */

/* Type of a plain scalar by the Go-YAML rules. */
enum scalar_type scalar_resolve(str text);

/* Does the text hold `{{`, `{%` or `<%`? */
bool template_any(str text);
/* Could template_hides() be true of a part of the text? */
bool template_may_hide(str text);
/* Is the value unknown because of `{{`, `${NAME}` or a whole `$NAME`? */
bool template_hides(str text);
/* The first template in text, to the end of its braces or line; empty when there is none. */
str template_first(str text);

#endif
