import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AnswerLimits } from './read/answer-limits.js';
import { AuthEffects } from './write/auth-effects.js';
import { AuthRecords } from './auth-records.js';
import { ListAnswers } from './read/list-answers.js';
import { ListDelay } from './read/list-delay.js';
import { RecordActions } from './record-actions.js';
import { RecordBodies } from './write/record-bodies.js';
import { RecordBodyLimit } from './write/record-body-limit.js';
import { RecordChangedCodec } from './record-changed.codec.js';
import { RecordBuilder } from './write/record-builder.js';
import { RecordCascade } from './write/record-cascade.js';
import { RecordContents } from './write/record-contents.js';
import { RecordAutoValues } from './write/record-auto-values.js';
import { RecordExpander } from './read/record-expander.js';
import { RecordFiles } from './write/record-files.js';
import { RecordList } from './read/record-list.js';
import { RecordPasswords } from './write/record-passwords.js';
import { ReadHooks } from './read/read-hooks.js';
import { RecordPresenter } from './read/record-presenter.js';
import { RecordReferences } from './write/record-references.js';
import { RecordRows } from './record-rows.js';
import { RecordRules } from './record-rules.js';
import { RecordSave } from './write/record-save.js';
import { RecordTotals } from './read/record-totals.js';
import { AnswerAudience } from './read/answer-audience.js';
import { AnswerCache } from './read/answer-cache.js';
import { RecordValidator } from './write/record-validator.js';
import { RecordsToTell } from './write/records-to-tell.js';
import { RecordWriter } from './write/record-writer.js';
import { RecordsController } from './records.controller.js';
import { RuleTestController } from './rule-test.controller.js';
import { RuleTestService } from './rule-test.service.js';
import { RecordsService } from './records.service.js';
import { ConsistentReads } from './read/consistent-reads.js';
import { TruncateController } from './write/truncate.controller.js';
import { TruncateService } from './write/truncate.service.js';
import { WideList } from './read/wide-list.js';
import { SavePreparation } from './write/save-preparation.js';
import { WriteTargets } from './write/write-targets.js';

/** Data under rules (chapter 02). */
@Module({
  imports: [CollectionsModule, PasswordsModule, RateLimitsModule, StorageModule, TokensModule],
  controllers: [RecordsController, RuleTestController, TruncateController],
  providers: [
    AnswerLimits,
    AuthEffects,
    AuthRecords,
    ListAnswers,
    ListDelay,
    RecordActions,
    RecordBodies,
    RecordBodyLimit,
    RecordBuilder,
    RecordCascade,
    RecordChangedCodec,
    RecordAutoValues,
    RecordContents,
    RecordExpander,
    RecordFiles,
    RecordList,
    RecordPasswords,
    ReadHooks,
    RecordPresenter,
    RecordReferences,
    RecordRows,
    RecordRules,
    RecordSave,
    RecordTotals,
    RecordsToTell,
    AnswerAudience,
    AnswerCache,
    RecordValidator,
    RecordWriter,
    RecordsService,
    SavePreparation,
    RuleTestService,
    ConsistentReads,
    TruncateService,
    WideList,
    WriteTargets,
  ],
  exports: [
    CollectionsModule,
    AnswerLimits,
    AuthEffects,
    AuthRecords,
    RecordActions,
    RecordBodyLimit,
    RecordExpander,
    RecordPasswords,
    RecordPresenter,
    RecordRows,
    RecordRules,
    RecordSave,
    RecordValidator,
    RecordWriter,
    RecordsService,
    ConsistentReads,
    TruncateService,
  ],
})
export class RecordsModule {}
