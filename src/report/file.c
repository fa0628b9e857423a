/* Reports on disk: whole, or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report-internal.h"

/* Names tried for the temporary file before giving up. */
#define MAX_TRIES 100

/* write(2) may take less than it is given. */
static bool write_all(int file, str text)
{
	while (text.n > 0) {
		ssize_t written = write(file, text.p, text.n);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		text = str_slice(text, (size_t)written, text.n);
	}
	return true;
}

/* Devices, FIFOs and what /dev and /proc make of open files: there is nothing to rename. */
static bool is_written_directly(str path, const struct stat *status, bool exists)
{
	return str_starts(path, STR("/dev/")) || str_starts(path, STR("/proc/")) ||
	       (exists && !S_ISREG(status->st_mode));
}

/* For what cannot be replaced by a rename; a failed close is a failed write (quota, NFS). */
static bool write_directly(const char *path, str text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (file < 0)
		return false;
	bool fine = write_all(file, text);
	return close(file) == 0 && fine;
}

/* A new file beside path; -1 when there can be none. */
static int open_beside(struct arena *arena, str path, mode_t mode, const char **ret_name)
{
	for (unsigned i = 0; i < MAX_TRIES; i++) {
		*ret_name = str_c(arena, str_format(arena, "%.*s.%ld.%u.tmp", STR_ARG(path),
		                                    (long)getpid(), i));
		int file = open(*ret_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (file >= 0 || errno != EEXIST)
			return file;
	}
	return -1;
}

/* The new file takes the place of the old one in one step, or leaves no trace. */
static bool write_and_rename(struct arena *arena, str path, mode_t mode, str text)
{
	const char *name = NULL;
	int file = open_beside(arena, path, mode, &name);

	if (file < 0)
		return false;
	bool fine = write_all(file, text);
	fine = close(file) == 0 && fine;
	fine = fine && rename(name, str_c(arena, path)) == 0;
	if (!fine) {
		int reason = errno;
		unlink(name);
		errno = reason;
	}
	return fine;
}

/* A link is followed first, so that the file changes and not the link. */
bool report_write_file(struct arena *arena, str path, str text, str *ret_error)
{
	struct stat status = { 0 };
	const char *name = str_c(arena, path);
	bool exists = stat(name, &status) == 0;
	bool fine;

	if (str_is(path, "-"))
		fine = write_all(STDOUT_FILENO, text);
	else if (exists && access(name, W_OK) != 0)
		fine = false; /* a rename would get past the file's own mode */
	else if (is_written_directly(path, &status, exists))
		fine = write_directly(name, text);
	else
		fine = write_and_rename(arena, exists ? source_real_path(arena, path) : path,
		                        exists ? status.st_mode & 0777 : 0666, text);
	if (!fine)
		*ret_error = str_of(strerror(errno));
	return fine;
}
