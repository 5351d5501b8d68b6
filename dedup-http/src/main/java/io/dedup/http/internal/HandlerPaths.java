package io.dedup.http.internal;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Patterns of deduplicated paths as parsers of the application read them, which may ignore case or a slash at the end. Thread-safe.
 */
public final class HandlerPaths {
    private final List<Parser> parsers;

    /** What one parser has made of each pattern. */
    private record Parser(PathPatternParser parser, Map<String, PathPattern> parsed) {
        boolean matches(PathPattern pattern, PathContainer path) {
            return parsed.computeIfAbsent(pattern.getPatternString(), parser::parse)
                    .matches(path);
        }
    }

    /** Those of the application's handler mappings. */
    public HandlerPaths(Set<PathPatternParser> parsers) {
        this.parsers = parsers.stream()
                .map(parser -> new Parser(parser, new ConcurrentHashMap<>()))
                .toList();
    }

    /** Whether any handler mapping would match, or the framework's defaults. */
    public boolean matches(PathPattern pattern, PathContainer path) {
        if (pattern.matches(path)) {
            return true;
        }
        for (Parser each : parsers) {
            if (each.matches(pattern, path)) {
                return true;
            }
        }
        return false;
    }
}
