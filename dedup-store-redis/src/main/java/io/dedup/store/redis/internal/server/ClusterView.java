package io.dedup.store.redis.internal.server;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a node of a cluster answers to {@code CLUSTER NODES}.
 *
 * @param myself the ID of the node that was asked
 * @param masters those that serve slots, by ID: their epoch, which every change of owner raises, and their slots
 * @param slots how many slots they serve together
 * @param slotsOnTheirWay whether the node that was asked is giving slots away or getting them; it tells of no other's
 */
record ClusterView(String myself, Map<String, String> masters, int slots, boolean slotsOnTheirWay) {
    private static final int ID = 0;
    private static final int FLAGS = 2;
    private static final int EPOCH = 6;
    private static final int FIRST_SLOTS = 8;

    static ClusterView parse(String nodes) {
        String myself = "";
        Map<String, String> masters = new TreeMap<>();
        BitSet served = new BitSet();
        boolean onTheirWay = false;
        for (String line : nodes.split("\r?\n")) {
            String[] fields = line.split(" ");
            if (fields.length < FIRST_SLOTS) {
                continue;
            }
            if (fields[FLAGS].contains("myself")) {
                myself = fields[ID];
            }
            StringBuilder slots = new StringBuilder(fields[EPOCH]);
            for (int i = FIRST_SLOTS; i < fields.length; i++) {
                if (fields[i].startsWith("[")) { // [93-<-id] and [93->-id]
                    onTheirWay = true;
                } else {
                    slots.append(' ').append(fields[i]);
                    add(fields[i], served);
                }
            }
            if (slots.length() > fields[EPOCH].length()) {
                masters.put(fields[ID], slots.toString());
            }
        }
        return new ClusterView(myself, masters, served.cardinality(), onTheirWay);
    }

    /** One slot, or a range such as {@code 0-5460}. */
    private static void add(String range, BitSet slots) {
        String[] ends = range.split("-");
        slots.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
    }
}
