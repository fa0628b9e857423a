/* Reading one file whole. Files are read, not mapped: one that shrinks meanwhile must not end
 * the process. */
#include "source-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* First guess for what has no size: pipes, files of /proc. */
#define FIRST_READ ((size_t)64 * 1024)

/* A text has no NUL; git too looks at the beginning only. */
#define BINARY_CHECK 8000


/* Reads until the end or one byte beyond the limit. */
static bool read_all(struct arena *arena, int fd, size_t expected, struct reading *reading)
{
	struct buf buf = { .arena = arena };

	buf.cap = expected + 2;
	buf.p = arena_alloc(arena, buf.cap);
	for (;;) {
		size_t room = buf.cap - buf.n - 1;
		ssize_t n = read(fd, buf.p + buf.n, room);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		buf.n += (size_t)n;
		if (!n || buf.n > reading->limit)
			break;
		if (buf.n + 1 == buf.cap) {
			char *larger = arena_alloc(arena, buf.cap * 2);

			memcpy(larger, buf.p, buf.n);
			buf.p = larger;
			buf.cap *= 2;
		}
	}
	reading->text = buf_str(&buf);
	return true;
}

/* UTF-16 is no binary file: the reader shall be told what is wrong with it. */
static bool is_binary(str text)
{
	str head = str_slice(text, 0, BINARY_CHECK);

	if (str_starts(text, STR("\xff\xfe")) || str_starts(text, STR("\xfe\xff")))
		return false;
	return head.n && memchr(head.p, '\0', head.n);
}

/* The size is only a guess at how much there will be: files of /proc have none, and others grow
 * meanwhile. */
enum read_result file_read_open(struct arena *arena, int fd, struct reading *reading)
{
	struct stat status;
	size_t size;

	if (fstat(fd, &status)) {
		reading->error = errno;
		return READ_FAILED;
	}
	if (S_ISDIR(status.st_mode) || (!reading->any_type && !S_ISREG(status.st_mode)))
		return READ_SPECIAL;
	size = S_ISREG(status.st_mode) && status.st_size > 0 ? (size_t)status.st_size : 0;
	if (size > reading->limit)
		return READ_TOO_LARGE;
	if (!read_all(arena, fd, size ? size : FIRST_READ, reading)) {
		reading->error = errno;
		return READ_FAILED;
	}
	if (reading->text.n > reading->limit)
		return READ_TOO_LARGE;
	return is_binary(reading->text) ? READ_BINARY : READ_GOOD;
}

enum read_result file_read(struct arena *arena, int folder, const char *name,
                           struct reading *reading)
{
	/* Without O_NONBLOCK the open of a FIFO would wait for a writer. */
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (reading->any_type ? 0 : O_NONBLOCK);
	int fd = openat(folder, name, flags);
	enum read_result result;

	if (fd < 0) {
		reading->error = errno;
		return READ_FAILED;
	}
	result = file_read_open(arena, fd, reading);
	close(fd);
	return result;
}
