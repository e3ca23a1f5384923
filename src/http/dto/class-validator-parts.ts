/** What is used of class-validator. The program of its own contains this much of it (`bundle.mjs`). */
export {
  IsArray,
  IsBoolean,
  IsObject,
  IsString,
  ValidateBy,
  ValidateNested,
  validateSync,
  type ValidationError,
  type ValidatorOptions,
} from 'class-validator';
