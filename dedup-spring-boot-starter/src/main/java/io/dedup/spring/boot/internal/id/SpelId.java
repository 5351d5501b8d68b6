package io.dedup.spring.boot.internal.id;

import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
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

    private SpelId(Expression expression) {
        this.expression = expression;
    }

    /**
     * An extractor that evaluates an expression.
     *
     * @param view what the expression sees of a message
     * @throws IllegalArgumentException when the text is no expression
     */
    public static <M> MessageIdExtractor<M> extractor(String text, Function<M, Object> view) {
        SpelId spel = of(text);
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
            return new SpelId(new SpelExpressionParser().parseExpression(text));
        } catch (RuntimeException e) {
            // ExpressionException, as a rule; but one that is too long fails its evaluation already here, and the
            // tokenizer reads beyond the end of some numbers.
            throw new IllegalArgumentException("spel: " + Printable.ofException(e), e);
        } catch (StackOverflowError e) { // the parser goes as deep as the expression does
            throw new IllegalArgumentException("spel: the expression is nested too deeply", e);
        }
    }

    @Nullable
    String find(Object message) {
        Object id = expression.getValue(READING, message);
        if (id == null || id instanceof String) {
            return (String) id;
        }
        if (id instanceof Long || id instanceof Integer || id instanceof Short || id instanceof UUID) {
            return id.toString();
        }
        throw new IllegalArgumentException(
                "the expression returned a " + id.getClass().getName()
                        + ", which has no unambiguous text. It must return a String, an integer number or a UUID");
    }
}
