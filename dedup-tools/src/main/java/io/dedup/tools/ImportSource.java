package io.dedup.tools;

import io.dedup.migration.ImportedId;
import java.util.stream.Stream;

/** Where imported IDs come from. Not thread-safe. */
interface ImportSource extends AutoCloseable {
    /** Reads the IDs lazily; call it once. The stream throws {@link SourceException} if reading fails. */
    Stream<ImportedId> ids();

    /** How much has been read, from 0 to 1; negative if the size is unknown. */
    double fraction();

    @Override
    void close();
}
