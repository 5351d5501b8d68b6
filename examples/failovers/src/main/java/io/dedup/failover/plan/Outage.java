package io.dedup.failover.plan;

/**
 * One failover, by this machine's clock in milliseconds.
 *
 * @param what was done
 * @param forgetsFrom writes from this time on may be missing on the server that took over
 * @param begin when it was done
 * @param end when the servers were complete again; earlier writes may be missing, too, if an old primary continued
 */
public record Outage(String what, long forgetsFrom, long begin, long end) {

    /** A handler's effect and its record aren't written at the same moment, and a loaded machine makes them wait. */
    private static final long MARGIN_MILLIS = 1_000;

    /** A failover that loses no confirmed write. */
    public static Outage keepsAll(String what, long begin, long end) {
        return new Outage(what, Long.MAX_VALUE, begin, end);
    }

    /** Whether the store may have forgotten the first effect when the message took effect again. */
    public boolean explains(Effect first, Effect again) {
        return forgetsFrom != Long.MAX_VALUE
                && first.millis() >= forgetsFrom - MARGIN_MILLIS
                && first.millis() <= end + MARGIN_MILLIS
                && again.millis() >= begin;
    }
}
