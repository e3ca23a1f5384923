import { Injectable, Module } from '@nestjs/common';
import { InquirerService, Question, QuestionSet } from 'roost';
import { expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

@QuestionSet({ name: 'shop' })
class ShopQuestions {
  @Question({ message: 'How is the shop called?', name: 'name' })
  name(value: string): string {
    return value;
  }
}

@Injectable()
class Shop {
  constructor(readonly questions: InquirerService) {}
}

@Module({ providers: [ShopQuestions, Shop], exports: [Shop] })
class ShopModule {}

it("EXT-5 a team's command can ask questions", async () => {
  const roost = await startRoost({ imports: [ShopModule] });
  try {
    // What is known already is not asked again, which spares the test a terminal.
    const answers = await roost.app.get(Shop, { strict: false }).questions.ask('shop', { name: 'Apples' });
    expect(answers).toEqual({ name: 'Apples' });
  } finally {
    await roost.close();
  }
});
