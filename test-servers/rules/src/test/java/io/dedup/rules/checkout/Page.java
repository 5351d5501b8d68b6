package io.dedup.rules.checkout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What one Markdown page offers to links, and where its own links go. Code is no part of it.
 *
 * @param anchors as GitHub makes them of headings, and those that the page writes itself
 * @param links as they are written
 */
record Page(Set<String> anchors, List<String> links) {
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?) *#*");
    private static final Pattern LINK = Pattern.compile("]\\(\\s*<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\s*\\)");
    private static final Pattern REFERENCE = Pattern.compile("\\[[^]]+]:\\s+(\\S+)");
    private static final Pattern HTML_LINK = Pattern.compile("<[^>]+\\b(?:href|src)=\"([^\"]+)\"");
    private static final Pattern HTML_ANCHOR = Pattern.compile("<[^>]+\\b(?:id|name)=\"([^\"]+)\"");
    private static final Pattern LINK_TEXT = Pattern.compile("!?\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern TAG = Pattern.compile("</?[a-z][^>]*>");
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{M}\\p{N}\\p{Pc} -]");
    private static final Pattern INLINE_CODE = Pattern.compile("(`+)(?!`).*?(?<!`)\\1(?!`)");

    static Page parse(String markdown) {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        List<String> links = new ArrayList<>();
        boolean code = false;
        for (String line : markdown.lines().toList()) {
            if (line.stripLeading().startsWith("```")) {
                code = !code;
            } else if (!code) {
                var heading = HEADING.matcher(line);
                if (heading.matches()) {
                    String anchor = anchor(heading.group(1));
                    int before = seen.merge(anchor, 1, Integer::sum) - 1;
                    anchors.add(before == 0 ? anchor : anchor + "-" + before);
                }
                String prose = INLINE_CODE.matcher(line).replaceAll("`");
                for (Pattern each : List.of(LINK, REFERENCE, HTML_LINK)) {
                    each.matcher(prose).results().map(Page::first).forEach(links::add);
                }
                HTML_ANCHOR.matcher(prose).results().map(Page::first).forEach(anchors::add);
            }
        }
        return new Page(Set.copyOf(anchors), List.copyOf(links));
    }

    /** What GitHub makes of a heading. */
    static String anchor(String heading) {
        String text = LINK_TEXT.matcher(heading).replaceAll("$1");
        if (!text.contains("`")) {
            text = TAG.matcher(text).replaceAll("");
        }
        return NOT_IN_ANCHORS
                .matcher(text.strip().toLowerCase(Locale.ROOT))
                .replaceAll("")
                .replace(' ', '-');
    }

    private static String first(MatchResult match) {
        return match.group(1);
    }
}
