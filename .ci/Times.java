import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingDouble;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Where the time of a build went, from the reports of its tests: {@code java .ci/Times.java}, after {@code mvn -B verify}.
 *
 * <p>For each module: when its tests ran, and its longest classes. With {@code markdown} as a table; with {@code near} the
 * tests that took more than half of their timeout.
 */
final class Times {
    private static final Pattern DEFAULT_TIMEOUT = Pattern.compile("timeout\\.default = (\\d+) m");
    private static final Pattern TIMEOUT = Pattern.compile(
            "@Timeout\\((?:value = )?([\\d_]+)(?:, unit = (?:TimeUnit\\.)?(\\w+))?[^)]*\\)(.*?)(?:class |void )(\\w+)", Pattern.DOTALL);
    private static final Map<String, Integer> SECONDS = Map.of("SECONDS", 1, "MINUTES", 60, "HOURS", 3600);

    record Test(String method, double seconds) {}

    record TestClass(String module, String name, double from, double to, int tests, List<Test> slow) {
        double seconds() {
            return to - from;
        }

        String simpleName() {
            return name.substring(name.lastIndexOf('.') + 1);
        }
    }

    public static void main(String[] args) throws Exception {
        List<TestClass> classes = read(Path.of("").toAbsolutePath());
        if (classes.isEmpty()) {
            System.err.println("No reports of tests below this directory. Run mvn -B verify first.");
            System.exit(1);
        }
        switch (args.length == 0 ? "" : args[0]) {
            case "near" -> near(classes);
            case "markdown" -> markdown(classes);
            default -> timeline(classes);
        }
    }

    /** From when to when the tests of each module ran, in minutes since the first test of the build. */
    private static void timeline(List<TestClass> classes) {
        double start = from(classes);
        System.out.println("  from     to  sum s  tests  module, longest classes (s)");
        for (List<TestClass> each : modules(classes)) {
            System.out.printf(
                    "%6.1f %6.1f %6.0f %6d  %s: %s%n",
                    (from(each) - start) / 60, (to(each) - start) / 60, sum(each), tests(each), each.get(0).module(), longest(each));
        }
    }

    /** The same as a table for a page, which says nothing of what ran beside what. */
    private static void markdown(List<TestClass> classes) {
        System.out.println("| module | tests | tests run for, s | sum of classes, s | longest classes, s |\n|---|---|---|---|---|");
        for (List<TestClass> each : modules(classes)) {
            System.out.printf(
                    "| `%s` | %,d | %.0f | %,.0f | %s |%n",
                    each.get(0).module(), tests(each), to(each) - from(each), sum(each), longest(each));
        }
    }

    /** In the order in which they ran. */
    private static List<List<TestClass>> modules(List<TestClass> classes) {
        return classes.stream().collect(groupingBy(TestClass::module)).values().stream()
                .sorted(comparing(Times::from))
                .toList();
    }

    private static String longest(List<TestClass> classes) {
        return classes.stream()
                .sorted(comparingDouble(TestClass::seconds).reversed())
                .filter(each -> each.seconds() >= 1)
                .limit(4)
                .map(each -> each.simpleName() + " " + Math.round(each.seconds()))
                .collect(joining(", "));
    }

    private static int tests(List<TestClass> classes) {
        return classes.stream().mapToInt(TestClass::tests).sum();
    }

    private static double sum(List<TestClass> classes) {
        return classes.stream().mapToDouble(TestClass::seconds).sum();
    }

    private static double to(List<TestClass> classes) {
        return classes.stream().mapToDouble(TestClass::to).max().orElseThrow();
    }

    private static double from(List<TestClass> classes) {
        return classes.stream().mapToDouble(TestClass::from).min().orElseThrow();
    }

    /** Only JUnit's timeouts: what a test waits for with Awaitility isn't in the reports. */
    private static void near(List<TestClass> classes) throws IOException {
        for (TestClass each : classes) {
            Map<String, Double> timeouts = timeouts(each);
            double otherwise = defaultTimeout(each.module());
            for (Test test : each.slow()) {
                String method = test.method().replaceAll("[({\\[].*", "");
                double timeout = timeouts.getOrDefault(
                        method, timeouts.getOrDefault(each.simpleName(), otherwise));
                if (test.seconds() > timeout / 2) {
                    System.out.printf("%s.%s took %.0f s of %.0f s%n", each.name(), test.method(), test.seconds(), timeout);
                }
            }
        }
    }

    /** The module's own, or that of all. */
    private static double defaultTimeout(String module) throws IOException {
        for (String pom : List.of(module + "/pom.xml", "parents/module/pom.xml")) {
            Matcher timeout = DEFAULT_TIMEOUT.matcher(Files.readString(Path.of(pom)));
            if (timeout.find()) {
                return 60 * Double.parseDouble(timeout.group(1));
            }
        }
        throw new IllegalStateException("no default timeout of tests in parents/module/pom.xml");
    }

    /** By the name of the method or the class that has the annotation. */
    private static Map<String, Double> timeouts(TestClass test) throws IOException {
        Map<String, Double> timeouts = new TreeMap<>();
        Path source = Path.of(test.module(), "src", "test", "java", test.name().replace('.', '/') + ".java");
        if (Files.exists(source)) {
            for (Matcher each = TIMEOUT.matcher(Files.readString(source)); each.find(); ) {
                int unit = SECONDS.getOrDefault(each.group(2) == null ? "SECONDS" : each.group(2), 1);
                timeouts.put(each.group(4), Double.parseDouble(each.group(1).replace("_", "")) * unit);
            }
        }
        return timeouts;
    }

    private static List<TestClass> read(Path root) throws Exception {
        List<Path> reports;
        try (Stream<Path> files = Files.walk(root)) {
            reports = files.filter(each -> each.toString().matches(".*/target/surefire-reports/TEST-[^/]+\\.xml"))
                    .sorted()
                    .toList();
        }
        List<TestClass> classes = new ArrayList<>();
        for (Path report : reports) {
            Element suite = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(report.toFile())
                    .getDocumentElement();
            List<Test> tests = new ArrayList<>();
            NodeList cases = suite.getElementsByTagName("testcase");
            for (int i = 0; i < cases.getLength(); i++) {
                Element one = (Element) cases.item(i);
                tests.add(new Test(one.getAttribute("name"), seconds(one)));
            }
            // A report is written when its class has ended.
            double end = Files.getLastModifiedTime(report).toMillis() / 1000.0;
            classes.add(new TestClass(
                    root.relativize(report.getParent().getParent().getParent()).toString(),
                    suite.getAttribute("name"),
                    end - seconds(suite),
                    end,
                    Integer.parseInt(suite.getAttribute("tests")),
                    tests.stream().filter(each -> each.seconds() > 5).toList()));
        }
        return classes;
    }

    private static double seconds(Element element) {
        return Double.parseDouble(element.getAttribute("time").replace(",", ""));
    }
}
