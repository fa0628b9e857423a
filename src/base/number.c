/* Integers that neither overflow nor round. Amounts of a cluster are products of figures from
 * files (replicas, sizes, requests), so every sum and product may leave int64; the nearest end
 * of the range then compares as the true value would. */
#include "base.h"

int64_t int64_add_saturated(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a > 0 ? INT64_MAX : INT64_MIN;
}

int64_t int64_sub_saturated(int64_t a, int64_t b)
{
	int64_t difference;

	if (!__builtin_sub_overflow(a, b, &difference))
		return difference;
	return a >= 0 ? INT64_MAX : INT64_MIN;
}

int64_t int64_mul_saturated(int64_t a, int64_t b)
{
	int64_t product;

	if (!__builtin_mul_overflow(a, b, &product))
		return product;
	return (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
}

bool str_to_int64(str s, int64_t *ret_value)
{
	bool negative = s.n && s.p[0] == '-';
	int64_t value = 0;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_slice(s, 1, s.n);
	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int digit = s.p[i] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_sub_overflow(value, digit, &value))
			return false;
	}
	/* Counted downwards, since INT64_MIN has no positive twin. */
	if (!negative && value == INT64_MIN)
		return false;
	*ret_value = negative ? value : -value;
	return true;
}
