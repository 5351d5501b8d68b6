package io.dedup.spring.boot.internal.id;

import io.dedup.id.IdText;
import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * Finds an ID by a SpEL expression. It may read properties and call methods of the message, but not use classes or beans.
 * The {@code +} of an ID joins parts, and isn't that of SpEL, which adds two numbers and makes the text {@code null} of a
 * value that is missing: what it joins is evaluated separately, and {@link JoinedValues} makes the ID. Thread-safe.
 */
public final class SpelId {
    private static final EvaluationContext READING = SimpleEvaluationContext.forReadOnlyDataBinding()
            .withInstanceMethods()
            .build();

    private final List<SpelNode> joined;
    private final SpelReads reads;

    private SpelId(List<SpelNode> joined, SpelReads reads) {
        this.joined = joined;
        this.reads = reads;
    }

    /** What an expression sees. */
    private record Seen(EvaluationContext context, @Nullable Object root) {}

    /**
     * An extractor that evaluates an expression.
     *
     * @param refused paths that it may not read; see {@link SpringHeaders}
     * @param view what the expression sees of a message
     * @throws IllegalArgumentException when the text is no expression, or cannot find an ID
     */
    public static <M> MessageIdExtractor<M> extractor(
            String text, Set<List<String>> refused, Function<M, Object> view) {
        SpelId spel = of(text);
        spel.requireNone(refused);
        return extractor(spel, text, Set.of(), view);
    }

    /**
     * As above, for a view of which all is known.
     *
     * @param type of the view
     * @param common what many messages of a topic have in common, such as its name
     */
    public static <M, V> MessageIdExtractor<M> extractor(
            String text, Class<V> type, Set<String> common, Function<M, V> view) {
        SpelId spel = of(text);
        Set<String> known = SpelReads.namesOf(type);
        for (String name : spel.reads.names()) {
            if (!name.equals(SpelReads.WHOLE) && !known.contains(name)) {
                throw new IllegalArgumentException(Printable.of(text) + " uses " + Printable.sentence(name)
                        + ", which a message doesn't have. An expression sees " + String.join(", ", known)
                        + ". Text is written in quotes: 'text'");
            }
        }
        return extractor(spel, text, common, view::apply);
    }

    private static <M> MessageIdExtractor<M> extractor(
            SpelId spel, String text, Set<String> common, Function<M, Object> view) {
        if (common.containsAll(spel.reads.names())) { // also if it reads nothing
            throw new IllegalArgumentException(Printable.of(text)
                    + " uses nothing that differs from message to message, so different messages would have the same ID, and"
                    + " all but the first would be skipped");
        }
        return spel.found("spel:", text).on(message -> new Seen(READING, view.apply(message)));
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException when it isn't one
     */
    static SpelId of(String text) {
        try {
            List<SpelNode> joined = new ArrayList<>();
            addJoined(new SpelExpressionParser().parseRaw(text).getAST(), joined);
            return new SpelId(joined, SpelReads.of(joined));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("spel: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            // ExpressionException, as a rule; but one that is too long fails its evaluation already here, and the
            // tokenizer reads beyond the end of some numbers.
            throw new IllegalArgumentException("spel: " + Printable.ofException(e), e);
        } catch (StackOverflowError e) { // the parser goes as deep as the expression does
            throw new IllegalArgumentException("spel: the expression is nested too deeply", e);
        }
    }

    /**
     * An extractor that evaluates an expression over named values, such as {@code #order.id}.
     *
     * @param known the names that the expression may use
     * @param refused paths that it may not read; see {@link SpringHeaders}
     * @param view the values of a message by their names
     * @throws IllegalArgumentException when the text is no expression, uses another name, or uses none and so would give all messages
     *     the same ID
     */
    public static <M> MessageIdExtractor<M> extractor(
            String text,
            Set<String> known,
            Set<List<String>> refused,
            Function<M, Map<String, @Nullable Object>> view) {
        SpelId spel = of(text);
        spel.requireNone(refused);
        Set<String> used = new TreeSet<>();
        for (String name : spel.reads.names()) {
            if (!name.startsWith("#")) {
                throw new IllegalArgumentException(Printable.of(text) + " uses " + Printable.sentence(name)
                        + ", which is no argument. The arguments are " + names(known)
                        + ". Text is written in quotes: 'text'");
            }
            used.add(name.substring(1));
        }
        if (used.isEmpty()) {
            throw new IllegalArgumentException(Printable.of(text)
                    + " uses no argument, so all calls would have the same ID. The arguments are " + names(known));
        }
        for (String name : used) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no argument #" + Printable.sentence(name)
                                + ". The arguments are " + names(known)
                                + ". Their names are known if the compiler is called with -parameters, as Spring Boot's plugins do");
            }
        }
        return spel.found("", text).on(message -> {
            EvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                    .withInstanceMethods()
                    .build();
            view.apply(message).forEach(context::setVariable);
            return new Seen(context, null);
        });
    }

    private static void addJoined(SpelNode node, List<SpelNode> joined) {
        if (SpelReads.isJoin(node)) {
            addJoined(node.getChild(0), joined);
            addJoined(node.getChild(1), joined);
        } else {
            joined.add(node);
        }
    }

    /** @param form as in {@code spel:} */
    private MessageIdExtractor<Seen> found(String form, String text) {
        if (joined.size() == 1) {
            return value(joined.get(0), form + text);
        }
        List<MessageIdExtractor<Seen>> values = new ArrayList<>();
        List<String> texts = new ArrayList<>(List.of(""));
        for (SpelNode node : joined) {
            if (node instanceof StringLiteral literal) {
                int last = texts.size() - 1;
                texts.set(last, texts.get(last) + literal.getLiteralValue().getValue());
            } else {
                values.add(value(node, form + node.toStringAST()));
                texts.add("");
            }
        }
        return new JoinedValues<>(values, texts);
    }

    private static MessageIdExtractor<Seen> value(SpelNode node, String name) {
        Expression expression =
                new SpelExpression(node.toStringAST(), (SpelNodeImpl) node, new SpelParserConfiguration());
        String value = "value for " + Printable.sentence(name);
        return MessageIdExtractor.named(
                value, seen -> IdText.of(expression.getValue(seen.context(), seen.root()), "the " + value));
    }

    private void requireNone(Set<List<String>> refused) {
        for (List<String> path : reads.paths()) {
            for (List<String> not : refused) {
                if (path.size() >= not.size() && path.subList(0, not.size()).equals(not)) {
                    throw SpringHeaders.refused(String.join(".", not));
                }
            }
        }
    }

    private static List<String> names(Set<String> known) {
        return known.stream().map(name -> "#" + name).toList();
    }
}
