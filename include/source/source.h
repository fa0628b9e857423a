/* source: from arguments, folders and stdin to texts that lie in memory.
 *
 * The only room that walks folders, opens input files and matches globs. A source is one
 * file; it is split into documents at `---` lines, which are always a document boundary in
 * YAML, even inside scalars. Lines and columns are computed here and nowhere else.
 */
#ifndef KUBELINT_SOURCE_H
#define KUBELINT_SOURCE_H

#include "base.h"

/* One document of a file: bytes [begin, end) of its source, without the `---` line.
 * Text behind `--- ` on the marker line belongs to the document. */
struct document {
	const struct source *source;
	uint32_t begin, end;
	/* in its source, from 0 */
	uint32_t index;
};

/* One input file. Owned by its set. */
struct source {
	/* from 1, in order of the set; the file of a struct span */
	uint32_t id;
	/* as printed: relative to the root, `/` only, no `./`; or absolute when outside */
	str path;
	/* what open(2) took; "-" for stdin */
	str open_path;
	/* the whole file, not NUL-terminated */
	str text;
	bool outside_root;
	/* given on the command line itself, not found in a folder */
	bool named;
	/* by extension: one document, never split */
	bool json;
	struct document *documents;
	size_t document_count;
	/* made on first use by source_position() */
	struct line_index *lines;
};

struct sources VEC(struct source *);

/* What was passed over or went wrong, for notifications and the exit code. */
enum skip_kind {
	/* open, stat or read failed: exit 2 */
	SKIP_UNREADABLE,
	/* above max_file_size: exit 2 */
	SKIP_TOO_LARGE,
	/* a named path that does not exist: exit 2 */
	SKIP_MISSING,
	/* a link to a folder above it: notification */
	SKIP_LINK_LOOP,
	/* NUL bytes: notification */
	SKIP_BINARY,
	/* FIFO, socket, device found in a folder: notification */
	SKIP_SPECIAL,
	/* excluded folder or .gitignore: counted only */
	SKIP_IGNORED,
};

struct skip {
	enum skip_kind kind;
	str path;
	/* errno text or limit, empty when the kind says it all */
	str reason;
};
struct skips VEC(struct skip);

struct source_options {
	/* NULL: the folder with .kubelint.yaml or .git upward from the working folder, else
	 * that */
	const char *root;
	/* what `-` is called; NULL: "-" */
	const char *stdin_name;
	const struct strs *excludes;
	/* those of a configuration, relative to the absolute folder of its file; may be NULL */
	const struct strs *config_excludes;
	str config_folder;
	/* bytes; 0: 64 MiB */
	size_t max_file_size;
	bool no_gitignore;
	/* excludes hold for named files too */
	bool force_exclude;
};

/* All sources of a run. */
struct source_set {
	struct arena *arena;
	/* absolute, real path */
	str root;
	/* sorted by path (byte order); each file once */
	struct sources sources;
	struct skips skips;
	/* files read */
	size_t file_count;
};

/* Reads every path (file, folder, or "-") into a set that lives in arena. Files: *.yaml
 * *.yml *.json *.tfstate of folders; any name when given itself. */
struct source_set *source_read(struct arena *arena, const struct source_options *options,
                               const struct strs *paths);

/* A set with one source of that name and text, for tests, the vector runner and fuzzing. */
struct source_set *source_from_text(struct arena *arena, str path, str text);

/* Adds one more text to a set (rule examples with several files). */
struct source *source_add_text(struct source_set *set, str path, str text);

/* What a glance at a document tells without parsing it (architecture.md, Speed). */
struct sniff {
	/* false: flow style, tags, anchors …: only parsing can tell */
	bool sure;
	/* empty when the root has no such key */
	str api_version, kind;
};
void source_sniff(const struct document *document, struct sniff *ret_sniff);
/* The root's next key in block style from *at (0 at first) on, with the rest of its line; an
 * empty key for a line at column 0 that is no plain key. false behind the last. */
bool document_next_key(const struct document *document, size_t *at, str *ret_key, str *ret_rest);
/* Does the text of the document hold these bytes anywhere? */
bool document_contains(const struct document *document, str part);

/* The source with that id; NULL for 0 or an unknown one. */
const struct source *source_of(const struct source_set *set, uint32_t id);

/* Place of a byte offset: line and column from 1, columns in code points (invalid UTF-8
 * bytes count one each), or in UTF-16 units. A line ends at LF, CRLF or lone CR; a BOM at
 * the start of the file is no column. */
struct position {
	uint32_t line, column, column_utf16;
};
struct position source_position(const struct source *source, uint32_t offset);

/* Text of a line (from 1) without its line end; empty beyond the last. */
str source_line(const struct source *source, uint32_t line);

/* The real, absolute path of a file or folder, links resolved; path itself when it does not
 * exist. */
str source_real_path(struct arena *arena, str path);

/* The real path of the file with that name in the folder of path (or path itself, a folder) or
 * the nearest one above it, up to the folder that holds .git; empty: there is none. "-" is the
 * working folder. */
str source_find_upward(struct arena *arena, str path, const char *name);
/* The root of that option, or the default one; absolute. */
str source_root(struct arena *arena, const char *wanted);
/* An absolute path as it is printed: relative to root, or as it is when it lies outside. */
str source_printed_path(str root, str path);

/* True when path matches the glob: fnmatch(3) plus `**` for any folders. */
bool source_glob_matches(str glob, str path);

/* Folder part of a path, without the final slash; "" for a file at the root. */
str source_folder(str path);

#endif
