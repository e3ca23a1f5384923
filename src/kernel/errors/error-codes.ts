import type { FieldError } from './field-error.js';

/**
 * Every code an error body of Roost may carry, with the sentence a person reads. `{name}` stands for the parameter
 * of that name. Codes are a promise to clients and never change; the sentences may.
 */
export const ERROR_TEXTS = {
  // Any value
  validation_required: 'Please fill this in.',
  validation_empty: 'This has to stay empty.',
  validation_nil: 'This has to be null.',
  validation_nil_or_not_empty_required: 'This has to be null or an expression, not an empty text.',
  validation_in_invalid: 'This is not one of the possible values.',
  validation_not_in_invalid: 'This value is not allowed here.',
  validation_match_invalid: 'This does not have the expected form.',
  validation_length_out_of_range: 'The length has to be between {min} and {max}.',
  validation_length_too_long: 'This is longer than {max}.',
  validation_length_invalid: 'The length has to be {length}.',
  validation_min_greater_equal_than_required: 'This has to be {threshold} or more.',
  validation_max_less_equal_than_required: 'This has to be {threshold} or less.',
  validation_date_out_of_range: 'This date has to come after the minimum.',
  validation_values_mismatch: 'This does not match the expected value.',
  validation_invalid_regex: 'This is not a valid regular expression.',
  validation_is_email: 'This is not an email address.',
  validation_is_url: 'This is not a URL.',
  validation_is_domain: 'This is not a domain name.',
  validation_is_host: 'This is neither a host name nor an IP address.',
  validation_is_hex_color: 'This is not a colour such as #1f6f5c.',
  validation_invlaid_ip_or_subnet: 'This is neither an IP address nor a subnet.',
  validation_invalid_cron: 'This is not a valid schedule.',
  validation_invalid_value: 'This value is not valid.',
  validation_unsupported_value_type: 'A value of this kind cannot be used here.',

  // Collections
  validation_invalid_or_existing_id: 'This id is taken or not valid.',
  validation_found_via: 'Names cannot contain "_via_".',
  validation_collection_name_exists: 'There is a collection of this name already.',
  validation_collection_name_id_duplicate: 'This name is the id of another collection.',
  validation_collection_name_invalid: 'This name cannot be used for a collection.',
  validation_collection_system_name_change: 'A system collection keeps its name.',
  validation_collection_system_flag_change: 'Whether a collection is a system collection cannot be changed.',
  validation_collection_system_rule_change: 'The rules of a system collection cannot be changed.',
  validation_collection_type_change: 'The type of a collection cannot be changed.',
  validation_invalid_rule: 'This rule is not valid.',
  validation_invalid_view_query: 'This query cannot be used for a view.',
  validation_collections_import_failure: 'The collections could not be imported.',

  // The list of fields
  validation_duplicated_field_id: 'Another field has the same id.',
  validation_duplicated_field_name: 'Another field has the same name.',
  validation_reserved_field_name: 'This name is reserved.',
  validation_field_type_change: 'The type of a field cannot be changed.',
  validation_system_field_change: 'System fields cannot be renamed or removed.',
  validation_missing_primary_key: 'The primary key "id" is missing.',
  validation_missing_password_field: 'The field "password" is missing.',
  validation_missing_tokenKey_field: 'The field "tokenKey" is missing.',
  validation_missing_email_field: 'The field "email" is missing.',
  validation_missing_emailVisibility_field: 'The field "emailVisibility" is missing.',
  validation_missing_verified_field: 'The field "verified" is missing.',
  validation_missing_created_field: 'The field "created" is missing.',
  validation_missing_updated_field: 'The field "updated" is missing.',
  validation_must_be_system: 'This has to be a system field.',
  validation_must_be_system_and_hidden: 'This has to be a hidden system field.',
  validation_unsupported_composite_pk: 'There can be only one primary key.',
  validation_field_view_reference: 'A view needs this field.',

  // Options of a field
  validation_invalid_autogenerate_pattern: 'No values can be generated from this pattern.',
  validation_invalid_autogenerate_pattern_value: 'A generated value such as "{value}" is refused by the other options.',
  validation_only_int_constraint: 'This has to be a whole number.',
  validation_min_number_constraint: 'This has to be {min} or more.',
  validation_field_relation_change: 'The collection of a relation cannot be changed.',
  validation_field_relation_missing_collection: 'There is no collection with this id.',
  validation_relation_field_non_view_base_collection: 'Only views can point to views.',

  // Auth options
  validation_missing_field: 'There is no field "{field}".',
  validation_missing_unique_constraint: 'The field "{field}" needs a unique index of its own.',
  validation_missing_provider: 'There is no provider of this name.',
  validation_duplicated_provider: 'This provider is listed twice.',
  validation_mfa_not_enough_auths: 'This needs at least two ways to sign in.',

  // Indexes
  validation_invalid_index_expression: 'This index cannot be created.',
  validation_duplicated_index_name: 'Another index has the same name.',
  validation_existing_index_name: 'The collection {usedTableName} has an index of this name.',
  validation_duplicated_index_definition: 'Another index says the same.',
  validation_indexes_not_supported: 'Views cannot have indexes.',
  validation_invalid_unique_system_field_index: 'The unique index of a system field has to stay.',
  validation_missing_required_unique_index: 'A required unique index is missing.',

  // Values of a record
  validation_not_unique: 'This value is taken.',
  validation_pk_change: 'The id of a record cannot be changed.',
  validation_pk_invalid: 'This id is taken or not valid.',
  validation_forbidden_pk_character: 'An id cannot contain {character}.',
  validation_reserved_pk: 'This id is reserved.',
  validation_invalid_auth_id: 'Another account uses this id.',
  validation_min_text_constraint: 'This needs at least {min} characters.',
  validation_max_text_constraint: 'This can have at most {max} characters.',
  validation_invalid_format: 'This does not have the expected form.',
  validation_content_size_limit: 'This can have at most {maxSize} bytes.',
  validation_not_a_number: 'This is not a number.',
  validation_max_number_constraint: 'This has to be {max} or less.',
  validation_invalid_date: 'This is not a date.',
  validation_email_domain_not_allowed: 'Addresses of this domain are not allowed.',
  validation_invalid_url: 'This is not a URL.',
  validation_url_domain_not_allowed: 'URLs of this domain are not allowed.',
  validation_too_many_values: 'At most {maxSelect} can be chosen.',
  validation_not_enough_values: 'At least {minSelect} have to be chosen.',
  validation_missing_rel_collection: 'The related collection does not exist.',
  validation_missing_rel_records: 'A related record does not exist.',
  validation_json_size_limit: 'This can have at most {maxSize} bytes.',
  validation_excerpts_too_large: 'This asks for more text than one answer can shorten.',
  validation_invalid_json: 'This is not valid JSON.',
  validation_invalid_file: 'A file of this name was not uploaded.',
  validation_too_many_files: 'There can be at most {maxSelect} files.',
  validation_file_size_limit: 'A file can have at most {maxSize} bytes.',
  validation_invalid_mime_type: 'Files of this type are not allowed.',
  validation_invalid_latitude: 'The latitude has to be between -90 and 90.',
  validation_invalid_longitude: 'The longitude has to be between -180 and 180.',

  // Records that refer to others by collection and id
  validation_invalid_collection_id: 'There is no collection with this id.',
  validation_invalid_collection_type: 'This is not an auth collection.',
  validation_invalid_collection: 'This collection cannot be used here.',
  validation_invalid_record: 'There is no such record.',

  // Accounts
  validation_invalid_password: 'The password is wrong.',
  validation_invalid_old_password: 'The old password is missing or wrong.',
  validation_invalid_token: 'This link is not valid or has expired.',
  validation_invalid_token_payload: 'This link is not valid.',
  validation_invalid_token_claims: 'This link is not valid.',
  validation_invalid_token_email: 'The address of this link is taken.',
  validation_token_collection_mismatch: 'This link belongs to another collection.',
  validation_token_email_mismatch: 'The address has changed since this link was sent.',
  validation_invalid_new_email: 'This address is taken.',
  validation_invalid_provider: 'This provider is not available.',
  validation_invalid_auth_collection: 'This is not an auth collection.',

  // Settings, backups, batch
  validation_conflicting_rate_limit_rule: 'Another rule covers the same label and audience.',
  validation_backup_name_exists: 'There is a backup of this name already.',
  validation_invalid_batch_reference: 'This does not refer to a record written earlier in the batch.',
  batch_request_failed: 'A request of the batch failed.',

  // What one answer may hold
  expand_too_large: 'More records would be expanded than one answer may hold.',
} as const satisfies Readonly<Record<string, string>>;

export type ErrorCode = keyof typeof ERROR_TEXTS;

/**
 * The field error of a code, its text filled in with the parameters. A message of one's own replaces the text where
 * only the caller knows the reason.
 */
export function fieldError(code: ErrorCode, params?: Readonly<Record<string, unknown>>, message?: string): FieldError {
  const text = message ?? fillIn(ERROR_TEXTS[code], params ?? {});
  return params === undefined ? { code, message: text } : { code, message: text, params };
}

function fillIn(text: string, params: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : placeholder,
  );
}
