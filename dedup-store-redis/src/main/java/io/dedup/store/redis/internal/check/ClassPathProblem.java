package io.dedup.store.redis.internal.check;

import io.dedup.text.Causes;
import io.lettuce.core.LettuceVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Explains a missing or incompatible class. The usual reason is another library that brings an older Netty than Lettuce
 * needs. Reads the names of Netty's jars instead of calling Netty, whose classes may not load.
 */
public final class ClassPathProblem {
    private static final String MARKER = "META-INF/io.netty.versions.properties";
    private static final String NEEDED = "4.2.";

    /** Runs on Netty 4.1 and 4.2, but not on jars of both. */
    private static final String LETTUCE_6 = "6.";

    /** A jar of Netty itself, not a jar that contains Netty under other names. */
    private static final Pattern JAR = Pattern.compile(".*/(netty-[a-z0-9_-]+?)-\\d[^/]*\\.jar!/.*");

    private ClassPathProblem() {}

    /** Returns the linkage error that caused a failure; null if there is none. */
    public static @Nullable LinkageError in(Throwable failure) {
        return Causes.of(failure).stream()
                .filter(LinkageError.class::isInstance)
                .map(LinkageError.class::cast)
                .findFirst()
                .orElse(null);
    }

    /** Describes what failed, which jars conflict, and how to fix that. */
    public static String describe(LinkageError error) {
        return describe(error, LettuceVersion.getVersion(), nettyJars(ClassPathProblem.class.getClassLoader()));
    }

    /** @param nettyJars the names of Netty's jars by their versions */
    static String describe(LinkageError error, String lettuce, Map<String, Set<String>> nettyJars) {
        String cause = "a class that Lettuce needs is missing or has a wrong version: " + error;
        boolean six = lettuce.startsWith(LETTUCE_6);
        if (nettyJars.size() == 1 && nettyJars.keySet().stream().allMatch(netty -> six || netty.startsWith(NEEDED))) {
            return cause + ". Netty is " + nettyJars.keySet().iterator().next()
                    + " throughout; find the class with mvn dependency:tree or gradle dependencies";
        }
        String found = nettyJars.isEmpty() ? "no recognizable Netty" : String.join(" and ", nettyJars.keySet());
        if (six) {
            return cause + ". Lettuce 6 needs one version of Netty, and the class path has " + found
                    + ". With Maven, import io.netty:netty-bom in dependencyManagement before other BOMs; with Gradle, add"
                    + " platform(\"io.netty:netty-bom:…\")" + list(nettyJars);
        }
        return cause + ". Lettuce needs Netty 4.2, and the class path has " + found
                + ". With Maven, import io.dedup:dedup-bom (or io.netty:netty-bom 4.2.x) in dependencyManagement before"
                + " other BOMs; with Gradle, add platform(\"io.dedup:dedup-bom:…\")" + list(nettyJars);
    }

    private static String list(Map<String, Set<String>> nettyJars) {
        StringBuilder text = new StringBuilder();
        nettyJars.forEach((version, jars) ->
                text.append(". ").append(version).append(" are: ").append(String.join(", ", jars)));
        return text.toString();
    }

    private static Map<String, Set<String>> nettyJars(@Nullable ClassLoader loader) {
        Map<String, Set<String>> jars = new TreeMap<>();
        try {
            for (URL marker : Collections.list(
                    loader == null ? ClassLoader.getSystemResources(MARKER) : loader.getResources(MARKER))) {
                Matcher jar = JAR.matcher(marker.toString());
                if (jar.matches()) {
                    String version = version(marker, jar.group(1));
                    jars.computeIfAbsent(version, of -> new TreeSet<>()).add(jar.group(1));
                }
            }
        } catch (IOException e) {
            return jars; // what was found so far says enough
        }
        return jars;
    }

    private static String version(URL marker, String jar) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = marker.openStream()) {
            properties.load(in);
        }
        return properties.getProperty(jar + ".version", "unknown version");
    }
}
