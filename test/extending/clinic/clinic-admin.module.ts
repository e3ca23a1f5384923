import { createReadStream } from 'node:fs';
import { Controller, Get, Module, StreamableFile } from '@nestjs/common';
import { AdminExtensionsModule, FieldTypesModule } from 'roost';
import { MoneyField } from './money-field.js';

/** Serves the script where the admin UI allows scripts. */
@Controller('_/extensions')
class ClinicAdminController {
  @Get('clinic.js')
  script(): StreamableFile {
    const file = createReadStream(new URL('./clinic-admin.js', import.meta.url));
    return new StreamableFile(file, { type: 'text/javascript' });
  }
}

/** The clinic's type of field, and what it adds to the admin UI. */
@Module({
  imports: [
    FieldTypesModule.register(MoneyField),
    AdminExtensionsModule.register({
      script: '/_/extensions/clinic.js',
      fieldTypes: [{ type: 'money', label: 'Money', input: 'clinic-fee-input', cell: 'clinic-fee-cell' }],
      pages: [{ path: 'prices', title: 'Prices', element: 'clinic-price-list' }],
      actions: [
        {
          label: 'Raise fees',
          run: 'raiseFees',
          collections: ['treatments'],
          question: 'Fees of the selected treatments rise by a tenth.',
        },
      ],
    }),
  ],
  controllers: [ClinicAdminController],
})
export class ClinicAdminModule {}
