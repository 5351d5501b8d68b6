package io.dedup.spring.boot.internal.id;

import io.dedup.id.IdText;
import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * Finds an ID by a SpEL expression. It may read properties and call methods of the message, but not use classes or beans.
 * Thread-safe.
 */
public final class SpelId {
    private static final EvaluationContext READING = SimpleEvaluationContext.forReadOnlyDataBinding()
            .withInstanceMethods()
            .build();

    private final Expression expression;
    private final SpelReads reads;

    private SpelId(Expression expression, SpelReads reads) {
        this.expression = expression;
        this.reads = reads;
    }

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
        return MessageIdExtractor.named(
                "value for spel:" + Printable.sentence(text), message -> spel.find(view.apply(message)));
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException when it isn't one
     */
    static SpelId of(String text) {
        try {
            SpelExpression expression = new SpelExpressionParser().parseRaw(text);
            return new SpelId(expression, SpelReads.of(expression.getAST()));
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
        return MessageIdExtractor.named("value for " + Printable.sentence(text), message -> {
            EvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                    .withInstanceMethods()
                    .build();
            view.apply(message).forEach(context::setVariable);
            return text(spel.expression.getValue(context));
        });
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

    @Nullable
    String find(Object message) {
        return text(expression.getValue(READING, message));
    }

    private static @Nullable String text(@Nullable Object id) {
        return IdText.of(id, "the value of the expression");
    }
}
