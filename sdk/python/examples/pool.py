#!/usr/bin/env python3
"""A sum by processes of concurrent.futures, in pieces of any length: its bits are those of one call on the whole."""
import array
import concurrent.futures

import redhost

N = 1_000_000


def elements(first, n):
    """Numbers first to first + n - 1 of the data, as a file or a detector would have them."""
    return array.array("f", (k % 1009 / 7 for k in range(first, first + n)))


def work(piece):
    """What a process sends back: some hundred bytes, however long its piece is."""
    first, n = piece
    return redhost.partial(elements(first, n), "sum", first=first)


def pieces(n):
    """(first, length) of pieces, none like the other, that make up n elements."""
    first, length = 0, 40_001
    while first < n:
        yield first, min(length, n - first)
        first, length = first + length, length + 12_345


def main():
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        one, *others = pool.map(work, pieces(N))
    total = one.merge(*others).value
    whole = redhost.sum(elements(0, N))
    print(f"in pieces {total!r}, at once {whole!r}: {'the same bits' if total == whole else 'DIFFERENT'}")


if __name__ == "__main__":
    main()
