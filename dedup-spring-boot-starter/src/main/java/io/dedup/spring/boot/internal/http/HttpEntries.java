package io.dedup.spring.boot.internal.http;

import io.dedup.Deduplicator;
import io.dedup.http.HttpPathSettings;
import io.dedup.http.HttpPaths;
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
import io.dedup.spring.boot.internal.plan.PlannedPath;
import io.dedup.spring.boot.internal.plan.SettingsLayer;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ClassUtils;

/**
 * The entries of {@code dedup.http.paths}: checked when this is made, and served by deduplicators before the server takes its first
 * request. Thread-safe.
 */
public final class HttpEntries implements SmartInitializingSingleton, DisposableBean {
    private static final String SECURITY = "org.springframework.security.web.SecurityFilterChain";

    private final DeduplicatorRegistry registry;
    private final HttpProperties http;
    private final List<Entry> entries = new ArrayList<>();
    private volatile @Nullable HttpPaths served;

    private record Entry(HttpPathSettings settings, PlannedPath planned) {}

    /**
     * Checks the entries.
     *
     * @throws DedupConfigurationException names the property
     */
    public HttpEntries(DedupProperties properties, DeduplicatorRegistry registry) {
        this.http = properties.getHttp();
        this.registry = registry;
        http.getPaths().forEach((key, entry) -> {
            if (pick(entry, http.getDefaults(), HttpPolicyProperties::getEnabled, true)) {
                entries.add(entry(key, entry, properties));
            }
        });
    }

    /** All paths, before the server starts. */
    @Override
    public void afterSingletonsInstantiated() {
        var unused = served();
    }

    /** The deduplicators are closed afterwards, and wait for the runs that have an end. */
    @Override
    public void destroy() {
        HttpPaths now = served;
        if (now != null) {
            now.close();
        }
    }

    /** What filters need. Made with the first request, if nobody called before: no request may pass unguarded. */
    public HttpPaths served() {
        HttpPaths now = served;
        return now == null ? serve() : now;
    }

    private synchronized HttpPaths serve() {
        HttpPaths before = served;
        if (before != null) {
            return before;
        }
        Map<String, List<PlannedPath>> byConsumer = new LinkedHashMap<>();
        for (Entry each : entries) {
            byConsumer
                    .computeIfAbsent(each.planned().consumer(), unused -> new ArrayList<>())
                    .add(each.planned());
        }
        Map<String, Deduplicator> deduplicators = new HashMap<>();
        byConsumer.forEach((consumer, planned) -> deduplicators.put(consumer, registry.servePaths(planned)));
        HttpPaths.Builder paths = HttpPaths.builder()
                .header(http.getHeader())
                .documentation(http.getDocumentation())
                .headersNotReplayed(http.getHeadersNotReplayed());
        for (Entry each : entries) {
            paths.path(
                    each.settings(),
                    Objects.requireNonNull(deduplicators.get(each.planned().consumer())));
        }
        HttpPaths made = paths.build();
        served = made;
        return made;
    }

    /**
     * Refuses what the application's own matching of paths cannot do.
     *
     * @param problem of a path; null if there is none
     * @throws DedupConfigurationException names the property
     */
    public void check(Function<HttpPathSettings, @Nullable String> problem) {
        for (Entry each : entries) {
            String found = problem.apply(each.settings());
            if (found != null) {
                throw new DedupConfigurationException(
                        each.planned().property() + " is for path "
                                + each.settings().pattern() + ", but " + found,
                        "Write the pattern as in the application's own @RequestMapping.");
            }
        }
    }

    private Entry entry(String key, HttpPathProperties own, DedupProperties properties) {
        HttpPolicyProperties general = http.getDefaults();
        String name = PlannedPath.property(key);
        HttpPathSettings settings = settings(name, own.getPath() == null ? key : own.getPath(), own);
        String consumer = pick(own, general, HttpPolicyProperties::getConsumer, "");
        if (consumer.isBlank()) {
            throw new DedupConfigurationException(
                    name + " has no consumer name within which its keys are unique.",
                    "Set dedup.http.defaults.consumer, such as payments-api. Changing it forgets windows.");
        }
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
                        .maxResultBytes(settings.maxResultBytes())
                        .build());
        return new Entry(
                settings,
                new PlannedPath(
                        key, consumer, settings.topic(), plan, Boolean.TRUE.equals(own.getSameEffectAsListeners())));
    }

    private HttpPathSettings settings(String name, String path, HttpPathProperties own) {
        if (!path.startsWith("/")) {
            throw new DedupConfigurationException(
                    name + " is for path " + path + ", which doesn't begin with a slash.",
                    "Write the path in brackets, as in dedup.http.paths.\"[/payments]\", because slashes are lost without them. Or"
                            + " set " + name + ".path.");
        }
        HttpPathSettings.Builder settings = pattern(name, path);
        if (own.getTopic() != null) {
            settings.topic(own.getTopic());
        }
        if (pick(own, http.getDefaults(), HttpPolicyProperties::getScopeBy, "").isEmpty()) {
            requireAuthentication(name);
            settings.scopeBy("principal");
        } else {
            set(name, own, "scope-by", HttpPolicyProperties::getScopeBy, settings::scopeBy);
        }
        set(name, own, "methods", HttpPolicyProperties::getMethods, settings::methods);
        set(name, own, "required", HttpPolicyProperties::getRequired, settings::required);
        set(
                name,
                own,
                "on-client-error",
                HttpPolicyProperties::getOnClientError,
                (OnClientError answer) -> settings.storeClientErrors(answer == OnClientError.STORE));
        set(name, own, "fingerprint", HttpPolicyProperties::getFingerprint, settings::fingerprint);
        set(name, own, "max-request-size", HttpPolicyProperties::getMaxRequestSize, settings::maxRequestSize);
        set(name, own, "max-response-size", HttpPolicyProperties::getMaxResponseSize, settings::maxResponseSize);
        return settings.build();
    }

    private static HttpPathSettings.Builder pattern(String name, String path) {
        try {
            return HttpPathSettings.builder(path);
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(
                    name + " isn't a path pattern: " + e.getMessage(),
                    "Change it. Patterns are those of @RequestMapping: /payments, /accounts/{id}/transfers, /orders/**.",
                    e);
        }
    }

    private static void requireAuthentication(String name) {
        if (!ClassUtils.isPresent(SECURITY, HttpEntries.class.getClassLoader())) {
            throw new DedupConfigurationException(
                    "Nothing separates the keys of different clients at " + name
                            + ": the application has no Spring Security, and dedup.http.defaults.scope-by isn't set. A client could read the"
                            + " stored response of another one that uses the same key.",
                    "Set dedup.http.defaults.scope-by to header:<name>, if a gateway in front sets a header that identifies the client;"
                            + " to principal, if another filter authenticates clients; or to none, if there is only one client.");
        }
    }

    /** Passes a setting of the entry, or else of {@code dedup.http.defaults}; otherwise the default remains. */
    private <T> void set(
            String name,
            HttpPolicyProperties own,
            String setting,
            Function<HttpPolicyProperties, @Nullable T> from,
            Consumer<T> to) {
        T value = from.apply(own);
        String property = (value == null ? "dedup.http.defaults" : name) + "." + setting;
        if (value == null) {
            value = from.apply(http.getDefaults());
        }
        if (value == null) {
            return;
        }
        try {
            to.accept(value);
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(property + " " + e.getMessage() + ".", "Change " + property + ".", e);
        }
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
