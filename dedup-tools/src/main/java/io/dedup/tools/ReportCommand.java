package io.dedup.tools;

import io.dedup.report.DuplicationReport;
import io.dedup.report.DuplicationReports;
import io.dedup.report.TopicReport;
import io.dedup.report.WindowAdvice;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Merges the reports of duplicates of several processes. Reads only. */
@Command(
        name = "report",
        sortOptions = false,
        showDefaultValues = true,
        mixinStandardHelpOptions = true,
        description = {
            "Merges the reports of duplicates of several processes: how many, why, of which messages, and whether the window fits.",
            "A header for the requests is read from the environment: DEDUP_REPORT_AUTHORIZATION, such as \"Bearer …\".",
            "Exit codes: 0 all processes answered, 1 some did not, 2 wrong usage, 3 none did."
        })
@SuppressWarnings("NullAway.Init") // set by picocli
final class ReportCommand implements Callable<Integer> {
    static final int INCOMPLETE = 1;
    static final int NONE = 3;

    private static final int MAX_PROCESSES = 1_000;
    /** So many answers are in memory together. */
    private static final int AT_A_TIME = 8;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "the dedup endpoints of the processes, such as http://10.0.0.7:8080/actuator/dedup")
    private List<URI> endpoints;

    @Option(names = "--hours", defaultValue = "24", description = "how many hours, from 1 to 24")
    private int hours;

    @Option(names = "--timeout", defaultValue = "20", description = "how many seconds a process has to answer")
    private int timeout;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        check(hours >= 1 && hours <= DuplicationReports.HOURS, "--hours must be from 1 to 24");
        check(timeout >= 1 && timeout <= 600, "--timeout must be from 1 to 600");
        check(endpoints.size() <= MAX_PROCESSES, "at most " + MAX_PROCESSES + " endpoints can be asked");
        check(
                endpoints.stream().distinct().count() == endpoints.size(),
                "an endpoint is named twice: its messages would be counted twice");
        endpoints.forEach(each -> {
            String scheme = String.valueOf(each.getScheme()).toLowerCase(Locale.ROOT);
            check(
                    (scheme.equals("http") || scheme.equals("https")) && each.getHost() != null,
                    "not the URL of an endpoint: " + ReportFetcher.shown(each));
            check(
                    each.getRawUserInfo() == null && each.getRawQuery() == null && each.getRawFragment() == null,
                    "write " + ReportFetcher.shown(each)
                            + " without user, query and fragment. Put a password into DEDUP_REPORT_AUTHORIZATION");
        });
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        List<FetchedReport> fetched = new ArrayList<>();
        int answered = 0;
        for (int from = 0; from < endpoints.size(); from += AT_A_TIME) {
            List<FetchedReport> some =
                    fetch(endpoints.subList(from, Math.min(from + AT_A_TIME, endpoints.size())), err);
            answered += some.size();
            fetched.addAll(some);
            if (fetched.size() > 1) {
                fetched = new ArrayList<>(List.of(FetchedReport.merged(fetched)));
            }
        }
        if (fetched.isEmpty()) {
            return NONE;
        }
        out.printf(Locale.ROOT, "%d of %d processes%n", answered, endpoints.size());
        print(out, fetched.get(0));
        int missing = endpoints.size() - answered;
        if (missing > 0) {
            err.println("The report is incomplete: " + missing + " of " + endpoints.size() + " processes are missing");
        }
        return missing > 0 ? INCOMPLETE : 0;
    }

    private void check(boolean valid, String problem) {
        if (!valid) {
            throw new ParameterException(spec.commandLine(), problem);
        }
    }

    private List<FetchedReport> fetch(List<URI> some, PrintWriter err) {
        ReportFetcher fetcher =
                new ReportFetcher(hours, Duration.ofSeconds(timeout), System.getenv("DEDUP_REPORT_AUTHORIZATION"));
        Map<URI, CompletableFuture<byte[]>> asked = new LinkedHashMap<>();
        some.forEach(each -> asked.put(each, fetcher.ask(each)));
        List<FetchedReport> fetched = new ArrayList<>();
        asked.forEach((endpoint, answer) -> {
            try {
                fetched.add(ReportReader.read(fetcher.answer(answer)));
            } catch (UnusableReportException e) {
                err.println(ReportFetcher.shown(endpoint) + ": " + e.getMessage());
            }
        });
        return fetched;
    }

    private void print(PrintWriter out, FetchedReport fetched) {
        DuplicationReport merged = DuplicationReport.merged(List.of(fetched.report()), DuplicationReport.MAX_COPIED);
        out.print(merged.text());
        for (TopicReport topic : merged.topics()) {
            String scope = topic.consumer() + ":" + topic.topic();
            String advice = WindowAdvice.of(topic.distances(), fetched.windows().get(scope), hours);
            if (advice != null) {
                out.println(scope + ": " + advice);
            }
        }
        out.flush();
    }
}
