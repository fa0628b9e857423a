/* From paths to sources: one walk over files and folders. Folders are read in byte order, real
 * ones before links to folders, and each only once, so that neither loops nor webs of links
 * cost more than what they lead to. */
#include "source-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each level holds an open folder. */
#define FOLDER_DEPTH_MAX 256

/* Folders that are never walked into, unless they are named. */
static const char default_excludes[] = ".git/\nnode_modules/\nvendor/\n";

/* A folder or file on the way: as open(2) takes it, and absolute. */
struct place {
	str open, path;
};

struct folder {
	struct place place;
	int fd;
	unsigned depth;
	const struct ignores *ignores;
};

struct links VEC(struct folder);

struct walk {
	struct source_set *set;
	const struct source_options *options;
	size_t limit;
	struct ignores excludes, config_excludes;
	struct map *taken;   /* printed paths of files */
	struct map *entered; /* device:inode of folders */
	struct links links;  /* to folders, for later; their fd is not open */
};

struct entry {
	str name;
	unsigned char type; /* DT_… */
};
struct entries VEC(struct entry);

/* Nothing is left out silently: each skip is told of or counted. */
static void skip(struct walk *walk, enum skip_kind kind, str path, const char *reason)
{
	*VEC_PUSH(walk->set->arena, &walk->set->skips) =
		(struct skip){ kind, path, str_copy(walk->set->arena, str_of(reason)) };
}

static void skip_read(struct walk *walk, enum read_result result, str path,
                      const struct reading *reading)
{
	switch (result) {
	case READ_FAILED:
		skip(walk, SKIP_UNREADABLE, path, strerror(reading->error));
		break;
	case READ_TOO_LARGE:
		skip(walk, SKIP_TOO_LARGE, path, NULL);
		break;
	case READ_BINARY:
		skip(walk, SKIP_BINARY, path, NULL);
		break;
	default:
		skip(walk, SKIP_SPECIAL, path, NULL);
		break;
	}
}

/* Names of files that are read when found in a folder. A name given on the command line may be
 * any. */
static bool name_is_wanted(str name)
{
	static const str endings[] = { { ".yaml", 5 }, { ".yml", 4 }, { ".json", 5 },
		                       { ".tfstate", 8 } };

	for (size_t i = 0; i < COUNT_OF(endings); i++)
		if (str_ends(name, endings[i]))
			return true;
	return false;
}

/* ---- files --------------------------------------------------------------------------- */

/* Puts what was read into the set, unless that path is there already. */
static void take_text(struct walk *walk, const struct place *place, bool named, str text)
{
	struct source *source;
	bool outside;
	str path = path_printed(walk->set->root, place->path, &outside);

	source = source_new(walk->set, path, text);
	source->open_path = place->open;
	source->outside_root = outside && !str_is(place->path, "-");
	source->named = named;
}

/* Reads a file whose path is new. folder is its open folder, or AT_FDCWD. */
static void take_file(struct walk *walk, int folder, const char *name, const struct place *place,
                      bool named)
{
	struct reading reading = { .limit = walk->limit, .any_type = named };
	enum read_result result;
	bool outside;
	str path = path_printed(walk->set->root, place->path, &outside);

	if (map_put(walk->taken, path, walk))
		return;
	result = file_read(walk->set->arena, folder, name, &reading);
	if (result == READ_GOOD)
		take_text(walk, place, named, reading.text);
	else
		skip_read(walk, result, path, &reading);
}

/* With a name given, stdin is that file as an editor holds it, and the file on disk is not read. */
static void take_stdin(struct walk *walk)
{
	struct arena *arena = walk->set->arena;
	struct reading reading = { .limit = walk->limit, .any_type = true };
	struct place place = { .open = STR("-"), .path = STR("-") };
	enum read_result result;
	bool outside;

	if (walk->options->stdin_name)
		place.path = path_absolute(arena, str_of(walk->options->stdin_name));
	if (map_put(walk->taken, path_printed(walk->set->root, place.path, &outside), walk))
		return;
	result = file_read_open(arena, STDIN_FILENO, &reading);
	if (result == READ_GOOD)
		take_text(walk, &place, true, reading.text);
	else
		skip_read(walk, result, place.path, &reading);
}

/* ---- folders ------------------------------------------------------------------------- */

/* Excludes are asked first: no ignore file can take one back. */
static bool is_left_out(const struct walk *walk, const struct ignores *ignores, str path,
                        bool is_folder)
{
	return ignore_hits(&walk->excludes, path, is_folder) ||
	       ignore_hits(ignores, path, is_folder);
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* Type of an entry, a link followed; DT_LNK when it leads nowhere or to a folder. */
static unsigned char entry_type(int folder, const char *name, unsigned char listed)
{
	struct stat status;

	if (listed == DT_REG || listed == DT_DIR)
		return listed;
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
		return DT_LNK;
	if (!S_ISLNK(status.st_mode))
		return S_ISREG(status.st_mode) ? DT_REG : S_ISDIR(status.st_mode) ? DT_DIR : DT_FIFO;
	if (fstatat(folder, name, &status, 0) || S_ISDIR(status.st_mode))
		return DT_LNK;
	return S_ISREG(status.st_mode) ? DT_REG : DT_FIFO;
}

/* Sorted by bytes: the order in which a file system lists is nobody's business. */
static struct entries list_folder(struct arena *arena, DIR *dir)
{
	struct entries entries = { 0 };
	const struct dirent *found;

	while ((found = readdir(dir))) {
		str name = str_of(found->d_name);

		if (str_is(name, ".") || str_is(name, ".."))
			continue;
		*VEC_PUSH(arena, &entries) = (struct entry){ str_copy(arena, name), found->d_type };
	}
	if (entries.n)
		qsort(entries.v, entries.n, sizeof *entries.v, by_name);
	return entries;
}

static void walk_folder(struct walk *walk, struct folder *folder);

/* O_NOFOLLOW: what was a folder a moment ago and is a link now is not followed. */
static void walk_subfolder(struct walk *walk, const struct folder *outer, const char *name,
                           const struct place *place)
{
	struct folder folder = { .place = *place, .depth = outer->depth + 1,
		                 .ignores = outer->ignores };
	bool outside;
	str printed = path_printed(walk->set->root, place->path, &outside);

	if (folder.depth > FOLDER_DEPTH_MAX) {
		skip(walk, SKIP_UNREADABLE, printed, "folders are nested too deeply");
		return;
	}
	folder.fd = openat(outer->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder.fd < 0)
		skip(walk, SKIP_UNREADABLE, printed, strerror(errno));
	else
		walk_folder(walk, &folder);
}

/* A link to a folder is put off; one to nothing is told of if its name promised a file. */
static void walk_link(struct walk *walk, const struct folder *outer, const char *name,
                      const struct place *place)
{
	struct stat status;
	bool outside;
	str printed = path_printed(walk->set->root, place->path, &outside);

	if (!fstatat(outer->fd, name, &status, 0))
		*VEC_PUSH(walk->set->arena, &walk->links) =
			(struct folder){ .place = *place, .fd = -1, .depth = outer->depth + 1,
			                 .ignores = outer->ignores };
	else if (errno == ELOOP)
		skip(walk, SKIP_LINK_LOOP, printed, NULL);
	else if (name_is_wanted(str_of(name)))
		skip(walk, SKIP_SPECIAL, printed, strerror(errno));
}

/* One entry by what it is. Files of other names are passed over before anything is computed for
 * them. */
static void walk_entry(struct walk *walk, const struct folder *folder, const struct entry *entry)
{
	struct arena *arena = walk->set->arena;
	unsigned char type = entry_type(folder->fd, entry->name.p, entry->type);
	bool is_folder = type == DT_DIR || type == DT_LNK, outside;
	struct place place;

	if (!is_folder && !name_is_wanted(entry->name))
		return;
	place.open = path_join(arena, folder->place.open, entry->name);
	place.path = path_join(arena, folder->place.path, entry->name);
	if (is_left_out(walk, folder->ignores, place.path, is_folder))
		skip(walk, SKIP_IGNORED, path_printed(walk->set->root, place.path, &outside), NULL);
	else if (type == DT_DIR)
		walk_subfolder(walk, folder, entry->name.p, &place);
	else if (type == DT_LNK)
		walk_link(walk, folder, entry->name.p, &place);
	else if (type == DT_REG)
		take_file(walk, folder->fd, entry->name.p, &place, false);
	else
		skip(walk, SKIP_SPECIAL, path_printed(walk->set->root, place.path, &outside), NULL);
}

/* True when the folder has not been walked before. */
static bool enter(struct walk *walk, int fd)
{
	struct arena *arena = walk->set->arena;
	struct stat status;

	if (fstat(fd, &status))
		return false;
	return !map_put(walk->entered,
	                str_format(arena, "%llu:%llu", (unsigned long long)status.st_dev,
	                           (unsigned long long)status.st_ino),
	                walk);
}

/* Walks an open folder and closes it. */
static void walk_folder(struct walk *walk, struct folder *folder)
{
	struct arena *arena = walk->set->arena;
	struct entries entries;
	bool outside;
	DIR *dir;

	if (!enter(walk, folder->fd)) {
		close(folder->fd);
		return;
	}
	dir = fdopendir(folder->fd);
	if (!dir) {
		skip(walk, SKIP_UNREADABLE,
		     path_printed(walk->set->root, folder->place.path, &outside), strerror(errno));
		close(folder->fd);
		return;
	}
	if (!walk->options->no_gitignore)
		folder->ignores = ignore_enter(arena, folder->ignores, folder->fd,
		                               folder->place.path);
	entries = list_folder(arena, dir);
	for (size_t i = 0; i < entries.n; i++)
		walk_entry(walk, folder, &entries.v[i]);
	closedir(dir);
}

/* The links that were put off, and those that turn up behind them. */
static void walk_links(struct walk *walk)
{
	struct arena *arena = walk->set->arena;

	for (size_t i = 0; i < walk->links.n; i++) {
		struct folder folder = walk->links.v[i];
		str open_path = folder.place.open, target = source_real_path(arena, open_path);
		str above = str_slice(open_path, 0, str_find_last(open_path, '/'));
		bool outside;
		str printed = path_printed(walk->set->root, folder.place.path, &outside);

		if (path_is_below(target, source_real_path(arena, above.n ? above : STR("/")))) {
			skip(walk, SKIP_LINK_LOOP, printed, NULL);
			continue;
		}
		folder.fd = open(str_c(arena, open_path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (folder.fd >= 0 && folder.depth <= FOLDER_DEPTH_MAX) {
			walk_folder(walk, &folder);
			continue;
		}
		skip(walk, SKIP_UNREADABLE, printed,
		     folder.fd < 0 ? strerror(errno) : "folders are nested too deeply");
		if (folder.fd >= 0)
			close(folder.fd);
	}
}

/* ---- named paths --------------------------------------------------------------------- */

/* Calls ignore_enter() for the root and the folders below it, down to above path. With
 * ret_left_out also says whether one of them, or path itself, is left out. */
static const struct ignores *enter_above(struct walk *walk, str path, bool *ret_left_out)
{
	struct arena *arena = walk->set->arena;
	const struct ignores *ignores = NULL;
	str root = walk->set->root;
	size_t end = str_is(root, "/") ? 0 : root.n;

	*ret_left_out = is_left_out(walk, NULL, path, false);
	if (!path_is_below(root, path))
		return NULL;
	while (end < path.n) {
		str folder = end ? str_slice(path, 0, end) : STR("/");
		size_t next = end + 1 + str_find(str_slice(path, end + 1, path.n), '/');
		int fd = open(str_c(arena, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0 && !walk->options->no_gitignore)
			ignores = ignore_enter(arena, ignores, fd, folder);
		if (fd >= 0)
			close(fd);
		*ret_left_out = *ret_left_out ||
		                is_left_out(walk, ignores, str_slice(path, 0, next), next < path.n);
		end = next;
	}
	return ignores;
}

/* Somebody who names a file wants it read, even if it is excluded. pre-commit names files that
 * it found itself, and asks for --force-exclude. */
static void walk_named_file(struct walk *walk, str path)
{
	struct arena *arena = walk->set->arena;
	struct place place = { .open = path, .path = path_absolute(arena, path) };
	bool left_out = false, outside;

	if (walk->options->force_exclude)
		enter_above(walk, place.path, &left_out);
	if (left_out)
		skip(walk, SKIP_IGNORED, path_printed(walk->set->root, place.path, &outside), NULL);
	else
		take_file(walk, AT_FDCWD, str_c(arena, path), &place, true);
}

/* The ignore files of the folders above hold here as well, as if the walk had begun at the root. */
static void walk_named_folder(struct walk *walk, str path)
{
	struct arena *arena = walk->set->arena;
	struct folder folder = { 0 };
	bool left_out;

	folder.place.open = path_without_end_slash(path);
	folder.place.path = path_absolute(arena, path);
	folder.fd = open(str_c(arena, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder.fd < 0) {
		skip(walk, SKIP_UNREADABLE, path, strerror(errno));
		return;
	}
	folder.ignores = enter_above(walk, folder.place.path, &left_out);
	walk_folder(walk, &folder);
}

static bool is_folder(struct arena *arena, str path)
{
	struct stat status;

	return !stat(str_c(arena, path), &status) && S_ISDIR(status.st_mode);
}

/* Files before folders, so that a file found in a folder too counts as named; stdin before
 * all, since it stands for a file that is being edited. */
static void walk_paths(struct walk *walk, const struct strs *paths)
{
	struct arena *arena = walk->set->arena;
	struct stat status;

	for (size_t i = 0; i < paths->n; i++)
		if (str_is(paths->v[i], "-"))
			take_stdin(walk);
	for (size_t i = 0; i < paths->n; i++) {
		if (str_is(paths->v[i], "-") || is_folder(arena, paths->v[i]))
			continue;
		if (!stat(str_c(arena, paths->v[i]), &status))
			walk_named_file(walk, paths->v[i]);
		else if (errno == ENOENT || errno == ENOTDIR)
			skip(walk, SKIP_MISSING, paths->v[i], NULL);
		else
			skip(walk, SKIP_UNREADABLE, paths->v[i], strerror(errno));
	}
	for (size_t i = 0; i < paths->n; i++)
		if (!str_is(paths->v[i], "-") && is_folder(arena, paths->v[i]))
			walk_named_folder(walk, paths->v[i]);
	walk_links(walk);
}

static int by_path(const void *a, const void *b)
{
	return str_cmp((*(struct source *const *)a)->path, (*(struct source *const *)b)->path);
}

static int skip_by_path(const void *a, const void *b)
{
	const struct skip *first = a, *second = b;
	int order = str_cmp(first->path, second->path);

	return order ? order : (int)first->kind - (int)second->kind;
}

/* Order, and with it the numbers, depend on the paths alone. */
static void sort(struct source_set *set)
{
	if (set->sources.n)
		qsort(set->sources.v, set->sources.n, sizeof *set->sources.v, by_path);
	if (set->skips.n)
		qsort(set->skips.v, set->skips.n, sizeof *set->skips.v, skip_by_path);
	for (size_t i = 0; i < set->sources.n; i++)
		set->sources.v[i]->id = (uint32_t)i + 1;
}

/* Only here are options turned into a walk; all that follows is kept in struct walk. */
struct source_set *source_read(struct arena *arena, const struct source_options *options,
                               const struct strs *paths)
{
	struct source_set *set = ARENA_NEW(arena, struct source_set);
	struct walk walk = { .set = set, .options = options, .limit = options->max_file_size };

	set->arena = arena;
	set->root = path_find_root(arena, options->root);
	if (!walk.limit)
		walk.limit = SOURCE_SIZE_DEFAULT;
	if (walk.limit > SOURCE_SIZE_MAX)
		walk.limit = SOURCE_SIZE_MAX;
	walk.taken = map_new(arena);
	walk.entered = map_new(arena);
	walk.excludes.folder = set->root;
	ignore_add_text(arena, &walk.excludes, str_of(default_excludes));
	for (size_t i = 0; options->excludes && i < options->excludes->n; i++)
		ignore_add_text(arena, &walk.excludes, options->excludes->v[i]);
	walk.excludes.outer = &walk.config_excludes;
	walk.config_excludes.folder = options->config_folder;
	for (size_t i = 0; options->config_excludes && i < options->config_excludes->n; i++)
		ignore_add_text(arena, &walk.config_excludes, options->config_excludes->v[i]);
	walk_paths(&walk, paths);
	sort(set);
	return set;
}
