package io.dedup.testservers.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("where the cache is, is a setting of the JVM")
final class BinaryCacheTest {

    @TempDir
    private Path temporary;

    private final AtomicInteger fills = new AtomicInteger();
    private Path jar;

    @BeforeEach
    void setUp() throws IOException {
        jar = Files.writeString(temporary.resolve("server.jar"), "jar");
        System.setProperty("dedup.test.cache", temporary.resolve("cache").toString());
    }

    @AfterEach
    void tearDown() {
        System.clearProperty("dedup.test.cache");
    }

    @Test
    void fillsOnce() {
        assertThat(get()).isEqualTo(get());
        assertThat(fills).hasValue(1);
    }

    @Test
    void fillsAgainWhenAFileHasGone() throws IOException {
        Files.delete(get().resolve("binary"));
        assertThat(get().resolve("binary")).exists();
        assertThat(fills).hasValue(2);
    }

    @Test
    void whatFailedHalfWayIsNotUsed() {
        assertThatThrownBy(() -> BinaryCache.get(jar, directory -> {
                    Files.writeString(directory.resolve("binary"), "half");
                    throw new IOException("disk full");
                }))
                .isInstanceOf(UncheckedIOException.class)
                .hasRootCauseMessage("disk full");
        assertThat(get().resolve("binary")).hasContent("whole");
        assertThat(temporary.resolve("cache")).isDirectoryNotContaining("glob:**/unfinished-*");
    }

    private Path get() {
        return BinaryCache.get(jar, directory -> {
            fills.incrementAndGet();
            Files.writeString(directory.resolve("binary"), "whole");
        });
    }
}
