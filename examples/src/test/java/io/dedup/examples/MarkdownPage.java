package io.dedup.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a page and its translation have in common.
 *
 * @param headings in order, outside of code blocks
 * @param codeBlocks in order, as {@link CodeBlock#untranslated}
 * @param start the lines before the first heading of level 2
 */
record MarkdownPage(List<Heading> headings, List<String> codeBlocks, String start) {
    private static final String FENCE = "```";
    private static final Pattern HEADING = Pattern.compile("(#{1,6}) (.*)");

    /** A heading, such as {@code ## Which mode}. */
    record Heading(int level, String text) {}

    static MarkdownPage parse(String text) {
        List<Heading> headings = new ArrayList<>();
        List<String> codeBlocks = new ArrayList<>();
        StringBuilder start = new StringBuilder();
        List<String> code = null;
        String language = "";
        for (String line : text.lines().toList()) {
            var heading = HEADING.matcher(line);
            if (code != null && line.strip().equals(FENCE)) {
                codeBlocks.add(CodeBlock.untranslated(language, code));
                code = null;
            } else if (code != null) {
                code.add(line);
            } else if (line.strip().startsWith(FENCE)) {
                language = line.strip().substring(FENCE.length()).toLowerCase(Locale.ROOT);
                code = new ArrayList<>();
            } else if (heading.matches()) {
                headings.add(new Heading(heading.group(1).length(), heading.group(2)));
            }
            if (headings.stream().noneMatch(each -> each.level() == 2)) {
                start.append(line).append('\n');
            }
        }
        if (code != null) {
            throw new IllegalArgumentException("a code block has no end: " + code);
        }
        return new MarkdownPage(List.copyOf(headings), List.copyOf(codeBlocks), start.toString());
    }

    List<Integer> headingLevels() {
        return headings.stream().map(Heading::level).toList();
    }

    /** For a failure: the headings, one a line. */
    String outline() {
        return headings.stream()
                .map(heading -> "#".repeat(heading.level()) + " " + heading.text())
                .collect(Collectors.joining("\n"));
    }
}
