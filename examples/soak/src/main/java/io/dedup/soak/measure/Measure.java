package io.dedup.soak.measure;

import java.util.Locale;

/** A measured value of the consumer process, and by how much it may grow. */
public enum Measure {
    HEAP("heap after a full collection", "MiB", 4),
    THREADS("threads", "", 4),
    REDIS_CONNECTIONS("connections to Redis, as it counts them", "", 2),
    DATABASE_CONNECTIONS("connections to PostgreSQL, as it counts them", "", 2),
    FILES("open file handles", "", 10),
    DIRECT("direct memory", "MiB", 4),
    CLASSES("loaded classes", "", 100),
    RESIDENT("resident memory without mapped files", "MiB", 24);

    private final String title;
    private final String unit;
    private final double allowance;

    Measure(String title, String unit, double allowance) {
        this.title = title;
        this.unit = unit;
        this.allowance = allowance;
    }

    public String title() {
        return title;
    }

    /** Empty for counts. */
    public String unit() {
        return unit;
    }

    /** By how much its median in the last sixth of a run may be above that in the second sixth. */
    public double allowance() {
        return allowance;
    }

    /** Its column in the file of samples. */
    public String column() {
        return name().toLowerCase(Locale.ROOT);
    }
}
