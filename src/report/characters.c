/* Bytes of hostile files as characters that may be written. */
#include "report-internal.h"

#define REPLACEMENT 0xfffdu

/* What a first byte announces: length of the sequence, its own bits, and the range of the second
 * byte (narrower than 80-BF where more would be overlong, a surrogate, or beyond U+10FFFF). */
struct lead {
	size_t length; /* 0: no first byte */
	uint32_t bits;
	unsigned char low, high;
};

static struct lead lead_of(unsigned char first)
{
	struct lead lead = { .low = 0x80, .high = 0xbf };

	if (first < 0x80) {
		lead.length = 1;
		lead.bits = first;
	} else if (first >= 0xc2 && first <= 0xdf) {
		lead.length = 2;
		lead.bits = first & 0x1f;
	} else if ((first & 0xf0) == 0xe0) {
		lead.length = 3;
		lead.bits = first & 0x0f;
		lead.low = first == 0xe0 ? 0xa0 : 0x80;
		lead.high = first == 0xed ? 0x9f : 0xbf;
	} else if (first >= 0xf0 && first <= 0xf4) {
		lead.length = 4;
		lead.bits = first & 0x07;
		lead.low = first == 0xf0 ? 0x90 : 0x80;
		lead.high = first == 0xf4 ? 0x8f : 0xbf;
	}
	return lead;
}

/* Bytes that belong together at the start of text: a character, or as much of one as there is
 * (what other decoders replace by one U+FFFD, so that line hashes agree with theirs). */
static size_t decode(str text, uint32_t *ret_code_point, bool *ret_valid)
{
	struct lead lead = lead_of((unsigned char)text.p[0]);
	uint32_t value = lead.bits;
	size_t i = 1;

	for (; i < lead.length; i++) {
		if (i == text.n)
			break;
		unsigned char byte = (unsigned char)text.p[i];
		if (byte < lead.low || byte > lead.high)
			break;
		value = value << 6 | (byte & 0x3f);
		lead.low = 0x80;
		lead.high = 0xbf;
	}
	*ret_valid = lead.length > 0 && i == lead.length;
	*ret_code_point = *ret_valid ? value : REPLACEMENT;
	return i;
}

uint32_t utf8_next(str *rest, bool *ret_valid)
{
	uint32_t value;
	size_t n = decode(*rest, &value, ret_valid);

	*rest = str_slice(*rest, n, rest->n);
	return value;
}

void utf8_add(struct buf *buf, uint32_t c)
{
	if (c < 0x80) {
		buf_char(buf, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_char(buf, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf_char(buf, (char)(0xe0 | c >> 12));
		} else {
			buf_char(buf, (char)(0xf0 | c >> 18));
			buf_char(buf, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf_char(buf, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf_char(buf, (char)(0x80 | (c & 0x3f)));
}

static bool is_clean(str text)
{
	while (text.n > 0) {
		bool valid;
		utf8_next(&text, &valid);
		if (!valid)
			return false;
	}
	return true;
}

/* Most texts are clean and stay views; only the others are copied. */
str utf8_clean(struct arena *arena, str text)
{
	struct buf buf = { .arena = arena };
	bool valid;

	if (is_clean(text))
		return text;
	while (text.n > 0)
		utf8_add(&buf, utf8_next(&text, &valid));
	return buf_str(&buf);
}

/* Characters that would move the cursor, end the line, or turn the reading direction. */
static bool is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0xfeff;
}

bool terminal_add(struct buf *buf, uint32_t c)
{
	if (!is_unsafe(c)) {
		utf8_add(buf, c);
		return false;
	}
	if (c < 0x100)
		buf_printf(buf, "\\x%02x", c);
	else
		buf_printf(buf, "\\u%04x", c);
	return true;
}

/* Escapes rather than drops: whoever reads must see that something was there. */
str report_terminal_text(struct arena *arena, str text)
{
	struct buf buf = { .arena = arena };
	bool valid;

	while (text.n > 0)
		terminal_add(&buf, utf8_next(&text, &valid));
	return buf_str(&buf);
}
