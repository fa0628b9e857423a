/* What only the files of base share. */
#ifndef KUBELINT_BASE_INTERNAL_H
#define KUBELINT_BASE_INTERNAL_H

#include "base.h"

/* Prints one line and ends the process with status 2. */
_Noreturn void base_out_of_memory(void);

void buf_vprintf(struct buf *buf, const char *format, va_list args) BASE_PRINTF(2, 0);

#endif
