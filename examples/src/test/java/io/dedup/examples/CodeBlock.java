package io.dedup.examples;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A code block without what a translation may change: comments, and the labels of Mermaid diagrams. */
final class CodeBlock {
    private static final Pattern XML_COMMENT = Pattern.compile("<!--.*?-->");
    private static final Pattern JAVA_COMMENT = Pattern.compile("(^|\\s)//.*");
    private static final Pattern SQL_COMMENT = Pattern.compile("(^|\\s)--\\s.*");
    private static final Pattern HASH_COMMENT = Pattern.compile("(^|\\s)#\\s.*"); // YAML, shell, properties

    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");
    private static final Pattern BRACKETED = Pattern.compile("\\[[^\\]]*]|\\([^)]*\\)|\\{[^}]*}|\\|[^|]*\\|");
    private static final Pattern EDGE_LABEL = Pattern.compile("-- .+? -->");
    private static final Pattern AFTER_COLON = Pattern.compile(":\\s.*"); // messages, notes, transitions
    private static final Pattern ALIAS = Pattern.compile("^((?:participant|actor) \\w+ as) .*");
    private static final Pattern TITLED =
            Pattern.compile("^(alt|else|opt|loop|par|and|critical|option|break|title|section) .*");

    private CodeBlock() {}

    /** The language of the block and its lines, without blank ones. */
    static String untranslated(String language, List<String> lines) {
        return lines.stream()
                .map(line -> language.equals("mermaid") ? withoutLabels(line.strip()) : withoutComment(language, line))
                .map(String::stripTrailing)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining("\n", language + "\n", ""));
    }

    private static String withoutComment(String language, String line) {
        Pattern comment = switch (language) {
            case "java", "kotlin" -> JAVA_COMMENT;
            case "xml" -> XML_COMMENT;
            case "sql" -> SQL_COMMENT;
            default -> HASH_COMMENT;
        };
        return comment.matcher(line).replaceAll("");
    }

    /** Which nodes there are and how they are connected remains. */
    private static String withoutLabels(String line) {
        String text = QUOTED.matcher(line).replaceAll("\"\"");
        text = BRACKETED.matcher(text).replaceAll(label -> {
            String all = label.group();
            return all.charAt(0) == '|' ? "||" : all.charAt(0) + "" + all.charAt(all.length() - 1);
        });
        text = EDGE_LABEL.matcher(text).replaceAll("-->");
        text = AFTER_COLON.matcher(text).replaceAll(":");
        text = ALIAS.matcher(text).replaceAll("$1");
        return TITLED.matcher(text).replaceAll("$1");
    }
}
