package io.dedup.spring.boot.internal.http;

import io.dedup.Deduplicator;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.HttpPathProperties;
import io.dedup.spring.boot.HttpPolicyProperties;
import io.dedup.spring.boot.HttpPolicyProperties.OnClientError;
import io.dedup.spring.boot.HttpProperties;
import io.dedup.spring.boot.PolicyProperties;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.plan.LayeredPolicy;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.SettingsLayer;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * The entries of {@code dedup.http.paths}: checked when this is made, and served by deduplicators before the server takes its first
 * request. Patterns are those of the framework's own request mappings, and the application's own matching decides
 * ({@link RequestedPath}). Thread-safe.
 */
public final class HttpPaths implements SmartInitializingSingleton, DisposableBean {
    private static final String SECURITY = "org.springframework.security.web.SecurityFilterChain";
    private static final Set<String> METHODS = Set.of("POST", "PATCH");
    private static final DataSize MAX_RESPONSE = DataSize.ofMegabytes(8);
    private static final DataSize MAX_REQUEST = DataSize.ofMegabytes(512);
    private static final int MAX_HEADERS = 16 * 1024;

    /** Of the threads of a server, of which Tomcat has 200. */
    private static final int MAX_WAITING = 25;

    private final DeduplicatorRegistry registry;
    private final Answers answers;
    private final List<Entry> entries = new ArrayList<>();
    private final Semaphore waiting = new Semaphore(MAX_WAITING);
    private volatile @Nullable List<Served> served;

    private record Entry(
            PathPattern pattern, Set<String> methods, HttpPath.PathSettings settings, PlannedListener planned) {}

    private record Served(PathPattern pattern, Set<String> methods, HttpPath path) {}

    /**
     * Checks the entries.
     *
     * @throws DedupConfigurationException names the property
     */
    public HttpPaths(DedupProperties properties, DeduplicatorRegistry registry) {
        HttpProperties http = properties.getHttp();
        this.registry = registry;
        this.answers = new Answers(http.getHeader(), http.getDocumentation());
        http.getPaths().forEach((key, entry) -> {
            if (pick(entry, http.getDefaults(), HttpPolicyProperties::getEnabled, true)) {
                entries.add(entry(key, entry, properties));
            }
        });
        entries.sort(Comparator.comparing(Entry::pattern));
    }

    /** All paths, before the server starts. */
    @Override
    public void afterSingletonsInstantiated() {
        var unused = served();
    }

    /** The deduplicators are closed afterwards, and wait for the runs that have an end. */
    @Override
    public void destroy() {
        List<Served> now = served;
        if (now != null) {
            now.forEach(each -> each.path().close());
        }
    }

    /** Also with the first request, if nobody called before: no request may pass unguarded. */
    private synchronized List<Served> serve() {
        List<Served> before = served;
        if (before != null) {
            return before;
        }
        Map<String, List<PlannedListener>> byConsumer = new LinkedHashMap<>();
        for (Entry each : entries) {
            byConsumer
                    .computeIfAbsent(each.planned().consumer(), unused -> new ArrayList<>())
                    .add(each.planned());
        }
        Map<String, Deduplicator> deduplicators = new LinkedHashMap<>();
        byConsumer.forEach((consumer, planned) -> deduplicators.put(
                consumer,
                registry.serveTogether(DeduplicatorRegistry.HTTP, planned).deduplicator()));
        List<Served> all = new ArrayList<>();
        for (Entry each : entries) {
            Deduplicator deduplicator = deduplicators.get(each.planned().consumer());
            all.add(new Served(
                    each.pattern(),
                    each.methods(),
                    new HttpPath(each.settings(), Objects.requireNonNull(deduplicator), answers, waiting)));
        }
        List<Served> made = List.copyOf(all);
        served = made;
        return made;
    }

    private List<Served> served() {
        List<Served> now = served;
        return now == null ? serve() : now;
    }

    /** The entry that a request is for; null if it isn't deduplicated. */
    @Nullable
    public HttpPath find(String method, RequestedPath path) {
        for (Served each : served()) { // the most specific first
            if (each.methods().contains(method) && path.matches(each.pattern())) {
                return each.path();
            }
        }
        return null;
    }

    /**
     * Refuses what the application's own matching of paths can't do.
     *
     * @param problem of a pattern; null if there is none
     * @throws DedupConfigurationException names the property
     */
    public void check(Function<PathPattern, @Nullable String> problem) {
        for (Entry each : entries) {
            String found = problem.apply(each.pattern());
            if (found != null) {
                throw new DedupConfigurationException(
                        "dedup.http.paths.\"[" + each.settings().name() + "]\" is for path "
                                + each.pattern().getPatternString() + ", but " + found,
                        "Write the pattern as in the application's own @RequestMapping.");
            }
        }
    }

    private Entry entry(String key, HttpPathProperties own, DedupProperties properties) {
        HttpProperties http = properties.getHttp();
        HttpPolicyProperties general = http.getDefaults();
        String name = "dedup.http.paths.\"[" + key + "]\"";
        String path = own.getPath() == null ? key : own.getPath();
        PathPattern pattern = pattern(name, path);
        String consumer = pick(own, general, HttpPolicyProperties::getConsumer, "");
        if (consumer.isBlank()) {
            throw new DedupConfigurationException(
                    name + " has no consumer name within which its keys are unique.",
                    "Set dedup.http.defaults.consumer, such as payments-api. Changing it forgets windows.");
        }
        String topic = own.getTopic() == null ? path : own.getTopic();
        HttpPath.PathSettings settings = new HttpPath.PathSettings(
                key,
                topic,
                http.getHeader(),
                pick(own, general, HttpPolicyProperties::getRequired, true),
                scopeBy(name, own, general),
                pick(own, general, HttpPolicyProperties::getOnClientError, OnClientError.RELEASE),
                pick(own, general, HttpPolicyProperties::getFingerprint, true),
                size(
                        name + ".max-request-size",
                        pick(own, general, HttpPolicyProperties::getMaxRequestSize, DataSize.ofMegabytes(1)),
                        MAX_REQUEST),
                size(
                        name + ".max-response-size",
                        pick(own, general, HttpPolicyProperties::getMaxResponseSize, DataSize.ofKilobytes(64)),
                        MAX_RESPONSE),
                new ResponseHeaders(http.getHeadersNotReplayed()));
        DedupPolicy policy = LayeredPolicy.of(
                List.of(
                        new SettingsLayer("dedup.defaults", ofMessages(properties.getDefaults())),
                        new SettingsLayer("dedup.http.defaults", ofRequests(general)),
                        new SettingsLayer(name, ofRequests(own))),
                DedupMode.LEASED);
        TopicPlan plan = new TopicPlan(
                IdExpression.parse("header:" + http.getHeader()),
                "dedup.http.header",
                policy.toBuilder()
                        .settingNames(new RequestSettingNames(name))
                        .maxResultBytes(settings.maxResponseSize() + MAX_HEADERS)
                        .build());
        PlannedListener planned = new PlannedListener(
                new ListenerSpec(key, key, Set.of(topic), null, null),
                consumer,
                Boolean.TRUE.equals(own.getSameEffectAsListeners()),
                Map.of(topic, plan),
                null);
        Set<String> methods = pick(own, general, HttpPolicyProperties::getMethods, METHODS).stream()
                .map(method -> method.toUpperCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
        return new Entry(pattern, methods, settings, planned);
    }

    private static <T> T pick(
            HttpPolicyProperties own,
            HttpPolicyProperties general,
            Function<HttpPolicyProperties, @Nullable T> setting,
            T otherwise) {
        T value = setting.apply(own);
        if (value == null) {
            value = setting.apply(general);
        }
        return value == null ? otherwise : value;
    }

    private static PathPattern pattern(String name, String path) {
        if (!path.startsWith("/")) {
            throw new DedupConfigurationException(
                    name + " is for path " + path + ", which doesn't begin with a slash.",
                    "Write the path in brackets, as in dedup.http.paths.\"[/payments]\", because slashes are lost without them. Or"
                            + " set " + name + ".path.");
        }
        try {
            return PathPatternParser.defaultInstance.parse(path);
        } catch (PatternParseException e) {
            throw new DedupConfigurationException(
                    name + " isn't a path pattern: " + e.getMessage(),
                    "Change it. Patterns are those of @RequestMapping: /payments, /accounts/{id}/transfers, /orders/**.",
                    e);
        }
    }

    private static ClientScope scopeBy(String name, HttpPolicyProperties own, HttpPolicyProperties general) {
        String text = pick(own, general, HttpPolicyProperties::getScopeBy, "");
        if (text.isEmpty()) {
            if (!ClassUtils.isPresent(SECURITY, HttpPaths.class.getClassLoader())) {
                throw new DedupConfigurationException(
                        "Nothing separates the keys of different clients at " + name
                                + ": the application has no Spring Security, and dedup.http.defaults.scope-by isn't set. A client could read the"
                                + " stored response of another one that uses the same key.",
                        "Set dedup.http.defaults.scope-by to header:<name>, if a gateway in front sets a header that identifies the client;"
                                + " to principal, if another filter authenticates clients; or to none, if there is only one client.");
            }
            return ClientScope.parse("principal");
        }
        try {
            return ClientScope.parse(text);
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(
                    (own.getScopeBy() == null ? "dedup.http.defaults" : name) + ".scope-by " + e.getMessage() + ".",
                    "Change it.",
                    e);
        }
    }

    private static int size(String property, DataSize size, DataSize most) {
        if (size.isNegative() || size.compareTo(most) > 0) {
            throw new DedupConfigurationException(
                    property + " must be between 0 and " + most.toMegabytes() + "MB, but is " + size + ".",
                    "Change " + property + ".");
        }
        return Math.toIntExact(size.toBytes());
    }

    /** What holds for requests, too. The rest of {@code dedup.defaults} is about messages. */
    private static PolicyProperties ofMessages(PolicyProperties defaults) {
        PolicyProperties policy = new PolicyProperties();
        policy.setWindow(defaults.getWindow());
        policy.setLease(defaults.getLease());
        policy.setMaxProcessingTime(defaults.getMaxProcessingTime());
        policy.setMaxDeferDelay(defaults.getMaxDeferDelay());
        policy.setFencingToken(defaults.getFencingToken());
        policy.setShadow(defaults.getShadow());
        policy.setOnStoreFailure(withoutPause(defaults.getOnStoreFailure()));
        policy.setInFlightWait(Duration.ZERO); // a client waits better than a server's thread
        return policy;
    }

    private static PolicyProperties ofRequests(HttpPolicyProperties settings) {
        PolicyProperties policy = new PolicyProperties();
        policy.setWindow(settings.getWindow());
        policy.setLease(settings.getLease());
        policy.setMaxProcessingTime(settings.getMaxProcessingTime());
        policy.setInFlightWait(settings.getInFlightWait());
        policy.setOnStoreFailure(withoutPause(settings.getOnStoreFailure()));
        return policy;
    }

    private static @Nullable OnStoreFailure withoutPause(@Nullable OnStoreFailure policy) {
        return policy == OnStoreFailure.PAUSE ? OnStoreFailure.RETRY : policy;
    }
}
