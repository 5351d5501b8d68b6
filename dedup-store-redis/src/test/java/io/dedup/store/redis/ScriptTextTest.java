package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.redis.internal.packed.Packing;
import io.dedup.store.redis.internal.record.Scripts;
import io.dedup.store.redis.internal.script.Script;
import io.dedup.testservers.redis.RedisServer;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;

/** What an editor shows and checks is what the server runs. */
class ScriptTextTest {
    @OnEachVersion
    @DisplayName("each file is Lua by itself, and the text of each script ends with its unchanged file")
    void unchanged(RedisVersion version) throws Exception {
        Path directory = Path.of(Scripts.class.getResource("claim.lua").toURI()).getParent();
        try (RedisServer server = version.server().start();
                Stream<Path> files = Files.list(directory)) {
            List<Path> lua =
                    files.filter(file -> file.toString().endsWith(".lua")).toList();
            assertThat(lua).hasSizeGreaterThan(Scripts.class.getRecordComponents().length);
            for (Path file : lua) {
                compiles(server, Files.readString(file));
            }
            for (Packing packing : Packing.values()) {
                Scripts scripts = Scripts.load(version == RedisVersion.REDIS_7, packing, 4);
                for (RecordComponent component : Scripts.class.getRecordComponents()) {
                    Script script = (Script) component.getAccessor().invoke(scripts);
                    String text = text(script);
                    compiles(server, text);
                    Path file = directory.resolve(script.operation().replace(' ', '_') + ".lua");
                    assertThat(text).endsWith(Files.readString(file));
                }
            }
        }
    }

    private static String text(Script script) {
        String bulk = new String(script.source(), StandardCharsets.UTF_8);
        return bulk.substring(bulk.indexOf('\n') + 1, bulk.length() - 2);
    }

    private static void compiles(RedisServer server, String text) {
        assertThat(server.command("SCRIPT", "LOAD", text)).as(text).matches("[0-9a-f]{40}");
    }
}
