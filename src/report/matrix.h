/* What the writers of fit, why and capacity share. */
#ifndef KUBELINT_REPORT_MATRIX_H
#define KUBELINT_REPORT_MATRIX_H

#include "report-internal.h"

/* ---- tables; src/report/table.c ------------------------------------------------------ */

/* Cells row by row, the first row being the heads. */
struct table {
	struct arena *arena;
	size_t columns;
	size_t most;                   /* width of columns but the first; 0: 20 */
	struct strs cells;
};
/* Adds a cell as a terminal may get it. */
void table_add(struct table *table, str cell);
/* Aligned columns; those that are beyond width go into further blocks below. */
void table_text(const struct table *table, size_t width, struct buf *out);
void table_markdown(const struct table *table, struct buf *out);
/* A text so that markdown shows it as it stands, and pings nobody. */
void table_markdown_cell(struct buf *out, str text);
/* Adds one cell of a line of CSV, and the line's end behind the last. */
void csv_add(struct buf *out, str cell, bool last);
/* A text of at most width code points: "infer..batch". */
str table_cut(struct arena *arena, str text, size_t width);
/* A paragraph whose first line goes on where the text stands, at column indent. */
void text_wrap(struct buf *out, size_t width, size_t indent, str text);

/* ---- verdicts; src/report/verdicts.c ------------------------------------------------- */

/* The width to write for: of the terminal, or 80. */
size_t report_width(const struct report *report);
/* "yes", "tight", "no" or "?" */
const char *shown_verdict(const struct verdict *verdict);
/* The first reason in the scheduler's order that made the verdict what it is; NULL for yes. */
const struct reason *shown_reason(const struct verdict *verdict);
/* A cell of the matrix: as the word, or the short word of the reason ("taint", "gpu"). */
str shown_cell(struct arena *arena, const struct placement *placement,
                 const struct verdict *verdict);
/* A workload without its kind, which is mostly plain and takes much of the width. */
str shown_name(const struct workload *workload);
/* "path:line" of a node; empty when it lies nowhere. */
str node_line(const struct report *report, const struct node *node);
/* The same of a node group: where its name stands. */
str group_line(const struct report *report, const struct group *group);
/* Counts of nodes and pods; INT64_MAX is "unbounded". */
str shown_count(struct arena *arena, int64_t count);
/* Amounts as people write them: bytes that are no whole number of anything go down to Mi. */
str shown_amount(struct arena *arena, str resource, int64_t amount);
/* "prod: " where the scope has a name, for lines about one of several. */
str scope_title(struct arena *arena, const struct scope *scope);

/* ---- json; src/report/json.c --------------------------------------------------------- */

/* The report's root without findings: version, tool, summary. */
json_t *json_root(const struct report *report);
/* An entry of fit[] and of capacity[]; the latter is left out where nothing can be said. */
void json_add_cell(const struct report *report, const struct placement *placement, size_t group,
                   str cluster, json_t *list);
void json_add_capacity(const struct report *report, const struct capacity *capacity, str cluster,
                       json_t *list);

#endif
