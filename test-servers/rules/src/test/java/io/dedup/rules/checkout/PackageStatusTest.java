package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PackageStatusTest {
    private static final Pattern PUBLISHED = Pattern.compile("dedup-[^/]+/src/main/java/(?!.*/internal/).*");
    private static final Pattern STATUS = Pattern.compile(
            "\\* <p>Status: (?:stable|experimental; it may change in any minor release)\\.\n \\*\n \\* @since \\d+\\.\\d+\\.\\d+\n");

    @Test
    @DisplayName("each package of the API says since when it is there, and whether it is stable")
    void eachPackage() {
        List<Path> packages = Checkout.files("package-info.java").stream()
                .filter(file -> PUBLISHED.matcher(Checkout.name(file)).matches())
                .toList();
        assertThat(packages)
                .hasSizeGreaterThan(30)
                .allSatisfy(file -> assertThat(Checkout.text(file)).containsPattern(STATUS));
    }
}
