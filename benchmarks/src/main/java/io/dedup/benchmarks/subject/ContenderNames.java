package io.dedup.benchmarks.subject;

import java.util.List;

/** Names of contenders: who, and in which form. */
public final class ContenderNames {
    /** Engine and store. */
    public static final String DEDUP = "dedup";

    /** Engine and store, for handlers that need no fencing token. */
    public static final String DEDUP_UNFENCED = "dedup, no token";

    /** {@link #DEDUP}, whose threads share calls of the store. */
    public static final String DEDUP_SHARED = "dedup, shared calls";

    /** The driver alone, with the same commands. */
    public static final String BARE = "bare driver";

    /** The driver alone, with the commands of {@link #DEDUP_UNFENCED}. */
    public static final String BARE_UNFENCED = "bare driver, no token";

    /** What one writes without a framework: no owner, no attempt, no token. */
    public static final String NAIVE = "naive";

    /** What an expert writes for one service, with leases, owners and windows; see {@link ByHandStore}. */
    public static final String BY_HAND = "by hand";

    /** {@link #BY_HAND} with what dedup promises beyond it: fencing tokens and attempts. */
    public static final String BY_HAND_FENCED = "by hand, the same promises";

    public static final int MANY_THREADS = 8;
    public static final String SINGLE = single(1);
    public static final String SINGLE_MANY = single(MANY_THREADS);
    public static final List<Integer> BATCHES = List.of(100, 500);

    /** All forms, in the order of the tables. */
    public static final List<String> FORMS = List.of(SINGLE, SINGLE_MANY, batch(100), batch(500));

    private ContenderNames() {}

    public static String single(int threads) {
        return "single, " + threads + (threads == 1 ? " thread" : " threads");
    }

    public static String batch(int size) {
        return "batch of " + size;
    }

    public static String of(String who, String form) {
        return who + ": " + form;
    }
}
