/* Text that grows in an arena. A buffer that outgrows its memory leaves the old copy behind,
 * which doubling bounds to as much again as the text itself. */
#include "base.h"
#include "base-internal.h"

#include <stdio.h>
#include <string.h>

/* Room for n more bytes and a NUL. */
static void buf_reserve(struct buf *buf, size_t n)
{
	size_t cap = buf->cap ? buf->cap : 64;
	char *p;

	if (n >= SIZE_MAX / 4 - buf->n)
		base_out_of_memory();
	if (buf->n + n + 1 <= buf->cap)
		return;
	while (cap < buf->n + n + 1)
		cap *= 2;
	p = arena_alloc(buf->arena, cap);
	if (buf->n)
		memcpy(p, buf->p, buf->n);
	buf->p = p;
	buf->cap = cap;
}

/* A NUL is kept behind the text that is not counted, for the few C functions that want one. */
void buf_add(struct buf *buf, str s)
{
	buf_reserve(buf, s.n);
	if (s.n)
		memcpy(buf->p + buf->n, s.p, s.n);
	buf->n += s.n;
	buf->p[buf->n] = '\0';
}

void buf_char(struct buf *buf, char c)
{
	buf_add(buf, (str){ &c, 1 });
}

/* Measures first: the text may be longer than any buffer of fixed size. */
void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n > 0) {
		buf_reserve(buf, (size_t)n);
		vsnprintf(buf->p + buf->n, (size_t)n + 1, format, again);
		buf->n += (size_t)n;
	}
	va_end(again);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vprintf(buf, format, args);
	va_end(args);
}

str buf_str(const struct buf *buf)
{
	return (str){ buf->p ? buf->p : "", buf->n };
}
