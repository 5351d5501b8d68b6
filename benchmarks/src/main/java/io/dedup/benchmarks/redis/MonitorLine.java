package io.dedup.benchmarks.redis;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A line of {@code MONITOR}: {@code +<time> [<database> <client>] "<word>" "<word>" …}.
 *
 * @param byScript whether a script gave the command
 * @param words of the command, with its escapes undone
 */
record MonitorLine(boolean byScript, List<byte[]> words) {
    static MonitorLine parse(String line) {
        int from = line.indexOf("] ");
        if (from < 0) {
            throw new IllegalArgumentException("not a line of MONITOR: " + line);
        }
        List<byte[]> words = new ArrayList<>();
        int at = line.indexOf('"', from);
        while (at >= 0) {
            ByteArrayOutputStream word = new ByteArrayOutputStream();
            at = word(line, at + 1, word);
            words.add(word.toByteArray());
            at = line.indexOf('"', at + 1);
        }
        return new MonitorLine(line.substring(0, from).endsWith(" lua"), words);
    }

    /** Reads up to the closing quote, and returns where that is. */
    private static int word(String line, int start, ByteArrayOutputStream word) {
        int at = start;
        while (line.charAt(at) != '"') {
            char c = line.charAt(at++);
            if (c != '\\') {
                word.write(c);
                continue;
            }
            char escape = line.charAt(at++);
            if (escape == 'x') {
                word.write(Integer.parseInt(line.substring(at, at + 2), 16));
                at += 2;
            } else {
                word.write(unescaped(escape));
            }
        }
        return at;
    }

    private static int unescaped(char escape) {
        return switch (escape) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'a' -> 7;
            case 'b' -> '\b';
            default -> escape;
        };
    }
}
