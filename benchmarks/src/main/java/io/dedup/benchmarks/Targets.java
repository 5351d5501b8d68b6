package io.dedup.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures to reach, and whether they were. */
final class Targets {
    private final List<List<String>> rows = new ArrayList<>();

    void atLeast(String what, String subject, double target, double found) {
        add(what, subject, "≥ " + text(target), found, found >= target);
    }

    void atMost(String what, String subject, double target, double found) {
        add(what, subject, "≤ " + text(target), found, found <= target);
    }

    private void add(String what, String subject, String target, double found, boolean reached) {
        rows.add(List.of(what, subject, target, text(found), reached ? "reached" : "**not reached**"));
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.0f", value);
    }

    void print(Report report) {
        if (!rows.isEmpty()) {
            report.heading("Figures to reach");
            report.table(List.of("what", "store", "target", "median", ""), rows);
        }
    }
}
