package io.dedup.examples.shop;

/** Events that a consumer process reports to the example that started it; {@link Counts} is the other side. */
public final class Events {
    private Events() {}

    /** Prints a whole line, even if this process is killed right afterwards. */
    public static void tell(String event) {
        System.out.println(event);
        System.out.flush();
    }
}
