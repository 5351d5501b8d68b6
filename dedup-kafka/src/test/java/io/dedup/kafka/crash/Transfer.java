package io.dedup.kafka.crash;

/** A message: its ID is in a header, the rest is {@code from,to,amount}. */
record Transfer(String id, int from, int to, long amount) {
    static Transfer of(String id, String value) {
        String[] parts = value.split(",", -1);
        return new Transfer(id, Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
    }

    String value() {
        return from + "," + to + "," + amount;
    }
}
