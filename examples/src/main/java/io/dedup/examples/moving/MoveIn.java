package io.dedup.examples.moving;

import io.dedup.Deduplicator;
import io.dedup.migration.ImportReport;
import io.dedup.migration.ImportedId;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** docs/moving-in.md: the import by code. */
public final class MoveIn {
    private static final Logger log = LoggerFactory.getLogger(MoveIn.class);

    private MoveIn() {}

    // docs:begin import
    public static ImportReport importHandled(Deduplicator dedup, OldScheme old) {
        try (Stream<ImportedId> handled = old.handled()) {
            ImportReport report =
                    dedup.importDone("orders", handled, soFar -> log.info("{} IDs imported", soFar.imported()));
            report.problems().forEach(problem -> log.warn("ID {}: {}", problem.position(), problem.text()));
            return report;
        }
    }
    // docs:end
}
