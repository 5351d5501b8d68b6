package io.dedup.kafka.model;

import java.util.Arrays;

/** Pairs of numbers, to be looked up by the first one when all are there. */
final class Edges {
    private int[] froms = new int[1 << 14];
    private int[] tos = new int[1 << 14];
    private int size;
    private int[] begins = {};

    void add(int from, int to) {
        if (size == froms.length) {
            froms = Arrays.copyOf(froms, 2 * size);
            tos = Arrays.copyOf(tos, 2 * size);
        }
        froms[size] = from;
        tos[size++] = to;
    }

    /** All are there. */
    void sort(int nodes) {
        begins = new int[nodes + 1];
        for (int i = 0; i < size; i++) {
            begins[froms[i] + 1]++;
        }
        for (int node = 0; node < nodes; node++) {
            begins[node + 1] += begins[node];
        }
        int[] next = Arrays.copyOf(begins, nodes);
        int[] sorted = new int[size];
        for (int i = 0; i < size; i++) {
            sorted[next[froms[i]]++] = tos[i];
        }
        tos = sorted;
        froms = new int[0];
    }

    int begin(int from) {
        return begins[from];
    }

    int end(int from) {
        return begins[from + 1];
    }

    int to(int at) {
        return tos[at];
    }
}
