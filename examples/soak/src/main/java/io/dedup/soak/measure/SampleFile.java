package io.dedup.soak.measure;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/** All samples as CSV, a line each, on the disk at once. */
public final class SampleFile implements AutoCloseable {
    private final CSVPrinter printer;

    public SampleFile(Path path) throws IOException {
        List<String> header = new ArrayList<>(List.of("seconds", "ids", "redis_bytes", "redis_keys"));
        for (Measure measure : Measure.values()) {
            header.add(measure.column());
        }
        BufferedWriter writer = Files.newBufferedWriter(path);
        this.printer = CSVFormat.DEFAULT
                .builder()
                .setHeader(header.toArray(String[]::new))
                .setRecordSeparator('\n')
                .get()
                .print(writer);
    }

    public void append(Sample sample) throws IOException {
        List<Object> row = new ArrayList<>(
                List.of(number(sample.seconds()), sample.ids(), sample.redisBytes(), sample.redisKeys()));
        for (Measure measure : Measure.values()) {
            row.add(number(sample.value(measure)));
        }
        printer.printRecord(row);
        printer.flush();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    @Override
    public void close() throws IOException {
        printer.close();
    }
}
