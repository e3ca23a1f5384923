import type { Type } from '@nestjs/common';
import type { Command as CommanderCommand } from 'commander';
import * as commander from 'nest-commander';

// What teams and the commands of this folder use of nest-commander. The package requires an older Nest, so it is
// compiled in (bundle.mjs) instead of being installed by teams; its declarations are not published either, and the
// types here stand alone.

/** How a command is called and described. */
export interface CommandOptions {
  /** The word on the command line. */
  readonly name: string;
  readonly description?: string;
  /** Positional arguments: `<file> [target]`, or `[files...]`. */
  readonly arguments?: string;
  /** Descriptions of the positional arguments, by their names. */
  readonly argsDescription?: Record<string, string>;
  readonly aliases?: string[];
  /** Classes marked with `@SubCommand`, which have to be providers too. */
  readonly subCommands?: Type<CommandRunner>[];
  readonly options?: { readonly hidden?: boolean; readonly isDefault?: boolean };
  readonly allowUnknownOptions?: boolean;
  readonly allowExcessArgs?: boolean;
}

/** A flag of a command. */
export interface CommandOption {
  /** As in `-o, --out <file>`. */
  readonly flags: string;
  readonly description?: string;
  readonly defaultValue?: string | boolean | number;
  readonly required?: boolean;
  /** By which the value is handed to `run`; that of the flag when left out. */
  readonly name?: string;
  /** What it may be; true where a method with `@OptionChoiceFor` knows. */
  readonly choices?: string[] | true;
  /** A variable of the environment that gives it too. */
  readonly env?: string;
}

/** A question of a `@QuestionSet`. Functions may stand in methods with `@ChoicesFor` and its kind as well. */
export interface QuestionOptions {
  readonly name: string;
  readonly message?: string;
  readonly type?: 'input' | 'number' | 'confirm' | 'list' | 'rawlist' | 'expand' | 'checkbox' | 'password' | 'editor';
  readonly default?: unknown;
  readonly choices?: readonly unknown[];
  /** What is typed is shown as this. */
  readonly mask?: string;
  /** Its place among the questions. */
  readonly index?: number;
}

/** Names the thing that a method is for. */
export interface NamedOptions {
  readonly name: string;
}

/** Any class with constructor injection that can run a command. */
type CommandClass = <T extends Type<CommandRunner>>(target: T) => void | T;

// `object`, so that declarations do not name nest-commander.
const Base = commander.CommandRunner as abstract new () => object;

/** Base of every command: a provider with `run`, found by its decorator. */
export abstract class CommandRunner extends Base {
  /** The command of commander that was made of this class. */
  declare protected readonly command: CommanderCommand;

  /** Gets the positional arguments and the options by name. A throw ends the program with the exit code 1. */
  // The options of each command are its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  abstract run(args: string[], options?: Record<string, any>): Promise<void>;
}

/** Marks a class as a command, which then stands in `--help`. */
export const Command: (options: CommandOptions) => CommandClass = commander.Command as never;

/** Marks a class as a command of the one that lists it in `subCommands`. */
export const SubCommand: (options: CommandOptions) => CommandClass = commander.SubCommand as never;

/** Marks a method as the parser of a flag: it gets the text and returns the value. */
export const Option: (options: CommandOption) => MethodDecorator = commander.Option;

/** Marks a method that tells what the option of this name may be. */
export const OptionChoiceFor: (options: NamedOptions) => MethodDecorator = commander.OptionChoiceFor;

/** Marks a method whose text stands in the help of its command, before or after what is there anyway. */
export const Help: (place: 'before' | 'beforeAll' | 'after' | 'afterAll') => MethodDecorator = commander.Help;

/** Injects the program itself, a `Command` of commander. */
export const InjectCommander: () => PropertyDecorator & ParameterDecorator = commander.InjectCommander;

/** Marks a class whose methods are questions, for `InquirerService`. */
export const QuestionSet: (options: NamedOptions) => ClassDecorator = commander.QuestionSet;

/** Marks a method as a question: it gets the answer and returns the value. */
export const Question: (options: QuestionOptions) => MethodDecorator = commander.Question as never;

/** Marks a method that tells the choices of a question. */
export const ChoicesFor: (options: NamedOptions) => MethodDecorator = commander.ChoicesFor;

/** Marks a method that tells what a question is answered with when nothing is typed. */
export const DefaultFor: (options: NamedOptions) => MethodDecorator = commander.DefaultFor;

/** Marks a method that puts a question into words. */
export const MessageFor: (options: NamedOptions) => MethodDecorator = commander.MessageFor;

/** Marks a method that shows what is typed in another way. */
export const TransformFor: (options: NamedOptions) => MethodDecorator = commander.TransformFor;

/** Marks a method that takes an answer with true, and refuses it with a text that says why. */
export const ValidateFor: (options: NamedOptions) => MethodDecorator = commander.ValidateFor;

/** Marks a method that tells whether a question is asked, from the answers so far. */
export const WhenFor: (options: NamedOptions) => MethodDecorator = commander.WhenFor;

/** Asks the questions of a `@QuestionSet` in the terminal. */
export abstract class InquirerService {
  /** What was answered, by the names of the questions. Those that `answers` has are not asked. */
  abstract ask<T extends object>(set: string, answers: Partial<T> | undefined): Promise<T>;
}
