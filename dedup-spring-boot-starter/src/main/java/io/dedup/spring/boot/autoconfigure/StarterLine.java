package io.dedup.spring.boot.autoconfigure;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The starters: the same classes, compiled for different versions of Spring Boot. */
enum StarterLine {
    BOOT_3("dedup-spring-boot3-starter", "META-INF/dedup/spring-boot-3.starter", "Spring Boot 3.5"),
    BOOT_4("dedup-spring-boot-starter", "META-INF/dedup/spring-boot-4.starter", "Spring Boot 4");

    /** The last minor version of Spring Boot 3; older ones lack conditions that the auto-configurations use. */
    private static final int MINOR_OF_3 = 5;

    private final String artifact;
    private final String marker;
    private final String needs;

    StarterLine(String artifact, String marker, String needs) {
        this.artifact = artifact;
        this.marker = marker;
        this.needs = needs;
    }

    /** Those whose jars are on the class path, each of which has a marker of its own. */
    static List<StarterLine> onClassPath(ClassLoader loader) {
        return Stream.of(values())
                .filter(line -> loader.getResource(line.marker) != null)
                .toList();
    }

    /** The one for a version of Spring Boot; null if there is none, or the version cannot be read. */
    static @Nullable StarterLine of(String version) {
        String[] numbers = version.split("\\.", 3);
        try {
            int major = Integer.parseInt(numbers[0]);
            if (major >= 4) {
                return BOOT_4;
            }
            return major == 3 && numbers.length > 1 && Integer.parseInt(numbers[1]) >= MINOR_OF_3 ? BOOT_3 : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Whether the version begins with a number: others, such as one that a build left out, are taken on trust. */
    static boolean canRead(String version) {
        return !version.isEmpty() && Character.isDigit(version.charAt(0));
    }

    String artifact() {
        return artifact;
    }

    String needs() {
        return needs;
    }
}
