package io.dedup.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    @TempDir
    private Path directory;

    private final Report report =
            new Report(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));

    @Test
    void aPictureIsWrittenBesideTheTables() throws Exception {
        RatesChart chart = new RatesChart("Rates");
        chart.add("Redis", "dedup", 1000, true);
        chart.add("Redis", "by hand", 2000, false);
        chart.add("PostgreSQL", "dedup", 500, true);
        report.line("tables");
        report.picture("rates", chart);

        report.writeTo(directory.resolve("benchmark.md"));

        assertThat(directory.resolve("benchmark.md")).hasContent("tables");
        Path picture = directory.resolve("rates.svg");
        assertThat(Files.readString(picture)).contains(">by hand<", ">2,000/s<", ">PostgreSQL<");
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(picture.toFile())
                        .getElementsByTagName("rect")
                        .getLength())
                .isEqualTo(1 + 3); // the ground, and a bar each
    }

    @Test
    void nothingMeasuredIsNoPicture() throws Exception {
        report.picture("rates", new RatesChart("Rates"));

        report.writeTo(directory.resolve("benchmark.md"));

        assertThat(directory.resolve("rates.svg")).doesNotExist();
    }
}
