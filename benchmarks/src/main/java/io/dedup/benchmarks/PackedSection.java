package io.dedup.benchmarks;

import io.dedup.benchmarks.redis.PackedForms;
import io.dedup.testservers.redis.RedisBinary;
import java.util.List;

/** The packed form of records in Redis, beside the ordinary one. */
final class PackedSection {
    private final Report report;

    PackedSection(Report report) {
        this.report = report;
    }

    void run(int ids) {
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
    }
}
