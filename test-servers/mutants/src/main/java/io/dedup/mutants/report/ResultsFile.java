package io.dedup.mutants.report;

import io.dedup.mutants.run.Verdict;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVPrinter;
import org.apache.commons.csv.CSVRecord;

/** All results so far, as CSV: a line is added when its mutant was judged, so that a stopped run can be continued. */
public final class ResultsFile {
    private static final String[] HEADER = {"mutant", "patch", "commit", "verdict", "seconds", "why"};
    private static final CSVFormat FORMAT =
            CSVFormat.DEFAULT.builder().setRecordSeparator('\n').get();

    private final Path file;

    public ResultsFile(Path file) {
        this.file = file;
    }

    /** Adds a line. */
    public void append(Result result) throws IOException {
        boolean isNew = !Files.exists(file);
        try (Writer writer = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                CSVPrinter printer = new CSVPrinter(writer, FORMAT)) {
            if (isNew) {
                printer.printRecord((Object[]) HEADER);
            }
            printer.printRecord(
                    result.mutant(),
                    result.patch(),
                    result.commit(),
                    result.verdict().word(),
                    result.seconds(),
                    result.why());
        }
    }

    /** What is there. */
    public List<Result> read() throws IOException {
        List<Result> results = new ArrayList<>();
        if (Files.exists(file)) {
            CSVFormat format =
                    FORMAT.builder().setHeader().setSkipHeaderRecord(true).get();
            try (Reader reader = Files.newBufferedReader(file);
                    CSVParser parser = CSVParser.parse(reader, format)) {
                for (CSVRecord line : parser) {
                    results.add(new Result(
                            line.get("mutant"),
                            line.get("patch"),
                            line.get("commit"),
                            Verdict.of(line.get("verdict")),
                            Long.parseLong(line.get("seconds")),
                            line.get("why")));
                }
            }
        }
        return results;
    }
}
