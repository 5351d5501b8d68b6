package io.dedup.examples.shop;

/** Events that a consumer process reports to the example that started it; {@link Counts} is the other side. */
public final class Events {
    private Events() {}

    /** A line at a time, whole, even when this process is killed right after. */
    public static void tell(String event) {
        System.out.println(event);
        System.out.flush();
    }
}
