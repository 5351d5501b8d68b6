package io.dedup.tools;

import io.dedup.migration.ImportedId;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Iterator;
import java.util.Locale;
import java.util.Spliterators;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * A file of comma-separated values as in RFC 4180: the ID, the completion time, and optionally the result in Base64. The
 * ID counts as it is, including spaces. Text that is not UTF-8 ends the import: a replacement would be another ID.
 */
final class CsvSource implements ImportSource {
    private final Path file;
    private final long size;
    private final Counter bytes;
    private final CSVParser parser;
    private final PrintWriter warnings;

    CsvSource(Path file, boolean header, PrintWriter warnings) {
        this.file = file;
        this.warnings = warnings;
        try {
            this.size = Files.size(file);
            this.bytes = new Counter(Files.newInputStream(file));
            // With a decoder, malformed text is an error; with a charset it would be replaced.
            this.parser = CSVFormat.RFC4180
                    .builder()
                    .setSkipHeaderRecord(header)
                    .setAllowMissingColumnNames(true)
                    .setHeader(header ? new String[0] : null)
                    .get()
                    .parse(new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder())));
        } catch (IOException e) {
            throw new SourceException("Cannot read " + file, e);
        }
    }

    @Override
    public Stream<ImportedId> ids() {
        Iterator<CSVRecord> records = parser.iterator();
        Iterator<ImportedId> ids = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return reading(records::hasNext);
            }

            @Override
            public ImportedId next() {
                return id(reading(records::next));
            }
        };
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(ids, 0), false);
    }

    private <T> T reading(Supplier<T> work) {
        try {
            return work.get();
        } catch (UncheckedIOException | IllegalStateException e) {
            throw new SourceException("Cannot read " + file + " behind line " + parser.getCurrentLineNumber(), e);
        }
    }

    private ImportedId id(CSVRecord fields) {
        String id = fields.size() > 0 ? fields.get(0) : null;
        return new ImportedId(
                id,
                fields.size() > 1 ? CompletionTimes.parse(fields.get(1)) : null,
                fields.size() > 2 ? result(fields) : null);
    }

    private byte @Nullable [] result(CSVRecord fields) {
        String text = fields.get(2);
        if (text.isEmpty()) {
            return null;
        }
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            warnings.printf(
                    Locale.ROOT,
                    "Record %,d: the result is not Base64 and is left out; the ID is imported%n",
                    fields.getRecordNumber());
            return null;
        }
    }

    @Override
    public double fraction() {
        return size == 0 ? 1 : (double) bytes.count / size;
    }

    @Override
    public void close() {
        try {
            parser.close();
        } catch (IOException e) {
            throw new SourceException("Cannot close " + file, e);
        }
    }

    /** Counts the bytes that were read. */
    private static final class Counter extends FilterInputStream {
        private long count;

        Counter(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int next = super.read();
            add(next < 0 ? 0 : 1);
            return next;
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            int read = super.read(to, from, length);
            add(Math.max(0, read));
            return read;
        }

        private void add(int more) {
            count += more;
        }
    }
}
