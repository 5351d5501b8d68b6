package io.dedup.benchmarks;

import io.dedup.benchmarks.redis.PackedExpiry;
import io.dedup.benchmarks.redis.PackedForms;
import io.dedup.testservers.redis.RedisBinary;
import java.util.List;

/** The packed form of records in Redis, beside the ordinary one. */
final class PackedSection {
    /** As many as a server is filled with in less than a window of a minute. */
    private static final int ENDING = 1_000_000;

    private final Report report;

    PackedSection(Report report) {
        this.report = report;
    }

    void run(int ids, int perSecond) throws InterruptedException {
        RedisBinary redis = RedisBinary.installed().orElseGet(RedisBinary::embedded);
        try (PackedForms forms = new PackedForms(redis, ids, report::progress)) {
            List<List<String>> rows = forms.measure(ids);
            report.heading("Redis: packed records, IDs of 36 characters, a window of 7 days");
            report.table(
                    List.of(
                            "store",
                            "stored IDs",
                            "bytes of an ID, whole server",
                            "messages a second, claim and completion in batches of 500",
                            "µs of the server's time for each",
                            "single claim, µs at 50 / 99 / 99.9 per cent",
                            "claim of a batch of 500"),
                    rows);
        }
        List<List<String>> rows = new PackedExpiry(redis, Math.min(ids, ENDING), perSecond, report::progress).measure();
        report.heading("Redis: windows of a minute that end, beside " + perSecond + " messages a second");
        report.table(
                List.of(
                        "store",
                        "records",
                        "claim and completion before, µs at 50 / 99 / 99.9 per cent",
                        "from the first record's end to the last's",
                        "99 per cent, during by before"),
                rows);
    }
}
