package io.dedup.testservers.kafka;

import io.dedup.testservers.install.BinaryCache;
import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.install.ServerJars;
import io.dedup.testservers.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs a program of Kafka in a separate JVM, whose class path the clients under test don't see. */
final class KafkaProgram {

    private static final String CLUSTER_ID = "ZGVkdXAtdGVzdC1zZXJ2ZQ";
    private static final int FORMATTED_NODE = 1;
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    private KafkaProgram() {}

    /** The command line; what goes with it is written into {@code directory}. */
    static List<String> command(Path directory, String main, String... arguments) {
        Path logback = FileTrees.write(directory.resolve("logback.xml"), KafkaSettings.LOGBACK);
        // A class path of sixty jars belongs into a file.
        String options = JVM_OPTIONS.stream().map(option -> option + "\n").collect(Collectors.joining())
                + "-Dlogback.configurationFile=" + quoted(logback.toString())
                + "\n-cp " + quoted(ServerJars.kafkaClassPath()) + "\n";
        Path file = FileTrees.write(directory.resolve("jvm.args"), options);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Stream.concat(Stream.of(java, "@" + file, main), Stream.of(arguments))
                .toList();
    }

    /** Fills an empty directory, formatted for a node of this number. */
    static void newData(int node, Path directory) {
        FileTrees.copy(BinaryCache.get(ServerJars.kafka(), KafkaProgram::format).resolve("data"), directory);
        if (node != FORMATTED_NODE) {
            // What belongs to one node; Kafka makes an ID of the directory where there is none.
            FileTrees.write(
                    directory.resolve("meta.properties"),
                    "version=1\ncluster.id=" + CLUSTER_ID + "\nnode.id=" + node + "\n");
        }
    }

    private static void format(Path directory) throws IOException {
        String settings = KafkaSettings.defaults("127.0.0.1", 1, 2).entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
                .collect(Collectors.joining("", "log.dirs=" + directory.resolve("data") + "\n", ""));
        Path properties = FileTrees.write(directory.resolve("server.properties"), settings);
        ServerProcess.run(
                "kafka-format",
                command(directory, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", properties.toString()),
                directory,
                directory.resolve("format.log"));
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
