package io.dedup.spring.boot.internal.kafka.stream;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.function.context.FunctionCatalog;
import org.springframework.cloud.function.context.catalog.SimpleFunctionRegistry.FunctionInvocationWrapper;
import org.springframework.cloud.stream.function.BindableFunctionProxyFactory;
import org.springframework.context.ApplicationContext;

/** The functions of the application, and their bindings. */
final class StreamFunctions {
    private final ApplicationContext context;

    StreamFunctions(ApplicationContext context) {
        this.context = context;
    }

    /** The function that a binding is an input of; null if there is none, as for a channel that the application made itself. */
    @Nullable
    BindableFunctionProxyFactory of(String input) {
        return context.getBeansOfType(BindableFunctionProxyFactory.class).values().stream()
                .filter(each -> each.getInputs().contains(input))
                .findFirst()
                .orElse(null);
    }

    /** Why a function's effect may come after its return; null if it doesn't. */
    @Nullable
    String endsLater(String input) {
        BindableFunctionProxyFactory function = of(input);
        if (function == null) {
            return null;
        }
        Object found = context.getBean(FunctionCatalog.class).lookup(function.getFunctionDefinition());
        return found instanceof FunctionInvocationWrapper wrapper
                        && (wrapper.isInputTypePublisher() || wrapper.isOutputTypePublisher())
                ? "function " + function.getFunctionDefinition() + " is reactive, or a suspend function"
                : null;
    }

    /** The output bindings of the function of an input. */
    Set<String> outputs(String input) {
        BindableFunctionProxyFactory function = of(input);
        return function == null ? Set.of() : function.getOutputs();
    }
}
